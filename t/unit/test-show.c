/* SPDX-License-Identifier: ISC */
/* show: no text can do more to a terminal than be read */

#include <stdlib.h>
#include <string.h>

#include "ask/show.h"
#include "record/utf8.h"
#include "tap.h"

#define TEXT(literal) ((struct span){ literal, sizeof(literal) - 1 })

static struct buf shown;

static const char *show(struct span text, const struct show *how)
{
	buf_reset(&shown);
	show_field(&shown, span_of("f"), text, how);
	return buf_str(&shown);
}

static bool shows(struct span text, const char *wanted)
{
	const struct show how = { .columns = 80 };
	const char *got = show(text, &how);

	if (!strcmp(got, wanted))
		return true;
	printf("# got %s", got);
	return false;
}

static void test_escapes(void)
{
	ok(shows(TEXT("plain text"), "  f: plain text\n"), "text is itself");
	ok(shows(TEXT("gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2"),
		 "  f: gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2\n"),
	   "letters of all scripts are themselves");
	ok(shows(TEXT("\x1b]52;c;x\a\x1b[2J"),
		 "  f: \\x1b]52;c;x\\x07\\x1b[2J\n"),
	   "escape sequences are spelt out");
	ok(shows(TEXT("a\0b\x7f"), "  f: a\\x00b\\x7f\n"),
	   "NUL and DEL are spelt out");
	ok(shows(TEXT("\xc2\x9b"), "  f: \\u{009b}\n"),
	   "the eight-bit controls are spelt out");
	ok(shows(TEXT("a\nb\tc\rd"), "  f: a\\x0ab\\x09c\\x0dd\n"),
	   "newline, tab and return are spelt out");
	ok(shows(TEXT("\xff\xc0\x80\xed\xa0\x80"),
		 "  f: \\xff\\xc0\\x80\\xed\\xa0\\x80\n"),
	   "what is not UTF-8 comes out byte by byte");
	ok(shows(TEXT("\\n \\d"), "  f: \\n \\d\n"),
	   "a backslash that is not ours is itself");
	ok(shows(TEXT("\\x1b \\u{202e} \\\\"),
		 "  f: \\\\x1b \\\\u{202e} \\\\\\\n"),
	   "a backslash that looks like ours is doubled");
}

/* Each character that hides or reorders, by its number. */
static void test_unseen(void)
{
	static const uint32_t characters[] = {
		0x061c, 0x200b, 0x200c, 0x200d,  0x200e,  0x200f, 0x2028,
		0x2029, 0x202a, 0x202b, 0x202c,  0x202d,  0x202e, 0x2060,
		0x2066, 0x2067, 0x2068, 0x2069,  0xfeff,  0x00ad, 0x00a0,
		0x180e, 0x3164, 0xfe0f, 0xe0041, 0xe0100,
	};
	char text[8], wanted[32];
	bool all = true;
	size_t i;

	for (i = 0; i < sizeof(characters) / sizeof(*characters); i++) {
		uint32_t c = characters[i];
		int len;

		if (c < 0x800)
			len = snprintf(text, sizeof(text), "%c%c",
				       (int)(0xc0 | c >> 6),
				       (int)(0x80 | (c & 0x3f)));
		else if (c < 0x10000)
			len = snprintf(text, sizeof(text), "%c%c%c",
				       (int)(0xe0 | c >> 12),
				       (int)(0x80 | (c >> 6 & 0x3f)),
				       (int)(0x80 | (c & 0x3f)));
		else
			len = snprintf(text, sizeof(text), "%c%c%c%c",
				       (int)(0xf0 | c >> 18),
				       (int)(0x80 | (c >> 12 & 0x3f)),
				       (int)(0x80 | (c >> 6 & 0x3f)),
				       (int)(0x80 | (c & 0x3f)));
		(void)snprintf(wanted, sizeof(wanted), "  f: \\u{%04x}\n", c);
		all = shows((struct span){ text, (size_t)len }, wanted) && all;
	}
	ok(all, "what hides, reorders or looks like a blank is spelt out");
}

static void test_rows(void)
{
	const struct show how = { .columns = 40, .rows = true };
	char text[100];
	const char *row;
	bool narrow = true, marked = true;

	ok(!strcmp(show(TEXT("a\n  rule: x:1\nb"), &how),
		   "  f: a\n    |   rule: x:1\n    | b\n"),
	   "a row of the text cannot look like one of ours");
	memset(text, 'x', sizeof(text));
	row = show((struct span){ text, sizeof(text) }, &how);
	while (*row) {
		size_t len = strcspn(row, "\n");

		narrow = narrow && len <= 40;
		if (row != buf_str(&shown))
			marked = marked && !strncmp(row, "    + x", 7);
		row += len + 1;
	}
	ok(narrow, "no row is wider than the terminal");
	ok(marked, "a row that we broke has a mark of its own");
	buf_reset(&shown);
	show_field(&shown, TEXT("f\n  rule"), TEXT("x"), &how);
	ok(!strcmp(buf_str(&shown), "  f\\x0a  rule: x\n"),
	   "a field's name cannot look like another row");
}

static void test_limits(void)
{
	const struct show how = { .columns = 80,
				  .rows = true,
				  .whole = "the log" };
	size_t len = SHOW_BYTES_MAX + 1;
	char *text = calloc(len, 1);
	const char *got;
	size_t i, rows = 0;

	memset(text, 'x', len);
	got = show((struct span){ text, len - 1 }, &how);
	ok(!strstr(got, "cut"), "a text of SHOW_BYTES_MAX bytes is whole");
	got = show((struct span){ text, len }, &how);
	ok(strstr(got, "\n  [cut: 4096 of 4097 bytes are shown; the log "
		       "has all]\n") != NULL,
	   "a longer one is cut and says where all of it is");
	memset(text, '\n', len);
	got = show((struct span){ text, len }, &how);
	for (i = 0; got[i]; i++)
		rows += got[i] == '\n';
	ok(rows == SHOW_ROWS_MAX + 2, "no more than SHOW_ROWS_MAX rows come");
	ok(strstr(got, "[cut: 60 of 4096") != NULL, "and that says so too");
	free(text);
}

static void test_words(void)
{
	const struct show how = { .columns = 40, .rows = true };

	ok(!strcmp(show(TEXT("one\n\ntwo\n"), &how),
		   "  f: one\n    | \n    | two\n"),
	   "a newline at the end starts no row, another one does");
	ok(!strcmp(show(TEXT("\n\n"), &how), "  f: \n    | \n"),
	   "and only one of them is the end");
	ok(!strcmp(show(TEXT("0123456789 0123456789 01234567890123"), &how),
		   "  f: 0123456789 0123456789 \n    + 01234567890123\n"),
	   "a word that fits into a row is not broken");
	ok(!strcmp(show(TEXT("0 0123456789012345678901234567890123456789"),
			&how),
		   "  f: 0 012345678901234567890123456789012\n"
		   "    + 3456789\n"),
	   "one that does not is, where the row ends");
}

/* Whatever the bytes: no control but a newline, and UTF-8. */
static void test_all_bytes(void)
{
	const struct show how = { .columns = 50, .rows = true };
	char text[600];
	bool clean = true;
	size_t i;

	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 + i / 256);
	show((struct span){ text, sizeof(text) }, &how);
	for (i = 0; i < shown.len; i++)
		clean = clean && (shown.data[i] == '\n' ||
				  (unsigned char)shown.data[i] >= ' ');
	ok(clean, "no control byte of any text comes out");
	ok(utf8_valid(buf_span(&shown)), "what comes out is UTF-8");
}

int main(void)
{
	test_escapes();
	test_unseen();
	test_rows();
	test_limits();
	test_words();
	test_all_bytes();
	buf_drop(&shown);
	return tap_end();
}
