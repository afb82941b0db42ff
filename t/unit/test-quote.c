/* SPDX-License-Identifier: ISC */
/*
 * workspace/quote.h: what is quoted for a reader says the same bytes to it,
 * and what is shown to a terminal does nothing to it.
 */

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "tap.h"
#include "workspace/quote.h"

/* Whether @quote makes @wanted out of the @len bytes at @text. */
static bool makes(void (*quote)(struct buf *, struct span), const char *text,
		  size_t len, const char *wanted)
{
	struct buf quoted = { 0 };
	bool same;

	quote(&quoted, (struct span){ text, len });
	same = !strcmp(buf_str(&quoted), wanted);
	buf_drop(&quoted);
	return same;
}

static void comes_back(void)
{
	struct buf quoted = { 0 };
	struct buf back = { 0 };
	char all[255];
	size_t i;

	for (i = 0; i < sizeof(all); i++)
		all[i] = (char)(i + 1);
	quote_c(&quoted, (struct span){ all, sizeof(all) });
	ok(!strpbrk(buf_str(&quoted), "\n\t\r"), "quote_c() is one line");
	ok(!quote_c_read(&back, buf_span(&quoted)) && back.len == sizeof(all) &&
		   !memcmp(back.data, all, sizeof(all)),
	   "quote_c_read() reads every byte back");
	buf_drop(&quoted);
	buf_drop(&back);
}

static void reads_no_half(void)
{
	static const char *const broken[] = { "\"",       "\"a",
					      "\"\\\"",   "\"\\x\"",
					      "\"\\12\"", "\"\\400\"",
					      "\"a\"b" };
	struct buf back = { 0 };
	size_t refused = 0;
	size_t i;

	for (i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		refused += quote_c_read(&back, span_of(broken[i])) == -EINVAL;
	ok(refused == sizeof(broken) / sizeof(*broken),
	   "quote_c_read() refuses what is not whole");
	buf_reset(&back);
	ok(!quote_c_read(&back, span_of("/plain \\ path")) &&
		   !strcmp(buf_str(&back), "/plain \\ path"),
	   "quote_c_read() takes what is not quoted as it is");
	buf_drop(&back);
}

static void for_others(void)
{
	ok(makes(quote_bind, "/a:b\\c", 6, "/a\\:b\\\\c"),
	   "quote_bind() marks the separator and the mark");
	ok(makes(quote_config, "a\"\\\n#;", 6, "\"a\\\"\\\\\\n#;\""),
	   "quote_config() marks quotes, marks and newlines");
	ok(makes(quote_shell, "/a/b-c", 6, "/a/b-c"),
	   "quote_shell() leaves a plain word alone");
	ok(makes(quote_shell, "a'$b", 4, "'a'\\''$b'"),
	   "quote_shell() quotes every other word");
	ok(makes(quote_shell, "", 0, "''"),
	   "quote_shell() keeps an empty word");
}

static void for_terminals(void)
{
	ok(makes(quote_shown, "a\n\tb\x1b\r\0c", 8, "a\n\tb\\x1b\\x0d\\x00c"),
	   "quote_shown() keeps newline and tab, and no other control byte");
	ok(makes(quote_line, "a\n\t", 3, "a\\x0a\\x09"),
	   "quote_line() keeps none");
	ok(makes(quote_line, "\\u{202e}\\x0a\\\x1b", 14,
		 "\\\\u{202e}\\\\x0a\\\\\\x1b"),
	   "quote_line() tells a backslash from one of its own");
	ok(makes(quote_line, "\xc3\xa9\xff\xe2\x80\xae\xef\xbb\xbf", 9,
		 "\xc3\xa9\\xff\\u{202e}\\u{feff}"),
	   "quote_line() keeps letters, and shows what would draw nothing");
	ok(makes(quote_line, "\xc2\x9b", 2, "\\u{009b}"),
	   "quote_line() shows the control characters above ASCII");
	ok(makes(quote_shown, "a\xc2\xa0\xe2\xa0\x80\xe3\x80\x80\xee\x80\x80z",
		 13, "a\\u{00a0}\\u{2800}\\u{3000}\\u{e000}z"),
	   "quote_shown() shows blanks that are none, and private use");
}

int main(void)
{
	comes_back();
	reads_no_half();
	for_others();
	for_terminals();
	return tap_end();
}
