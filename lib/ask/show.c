/* SPDX-License-Identifier: ISC */
#include "ask/show.h"

#include <stdio.h>
#include <string.h>

#include "record/utf8.h"

#define INDENT "  "
#define ROW_NEW "    | "     /* the text has a newline here */
#define ROW_WRAPPED "    + " /* it has none */

/* Where the next character goes. */
struct pen {
	struct buf *out; /* borrowed */
	size_t columns;
	size_t column;
	size_t rows; /* newlines put so far */
};

static void new_row(struct pen *pen, const char *mark)
{
	buf_addc(pen->out, '\n');
	buf_adds(pen->out, mark);
	pen->column = strlen(mark);
	pen->rows++;
}

/* Puts @shown, which is never broken over two rows. */
static void put(struct pen *pen, struct span shown, size_t width)
{
	if (pen->column + width > pen->columns)
		new_row(pen, ROW_WRAPPED);
	buf_add(pen->out, shown);
	pen->column += width;
}

/* Whether the backslash that @text starts with would be read as ours. */
static bool looks_ours(struct span text)
{
	return span_starts(text, "\\\\") || span_starts(text, "\\x") ||
	       span_starts(text, "\\u{");
}

/* Puts the character that @text starts with; returns its bytes. */
static size_t put_next(struct pen *pen, struct span text, bool json)
{
	char code[16] = "\\\\";
	uint32_t character;
	size_t len = utf8_next(&character, text);

	if (!len || (len == 1 && utf8_unseen(character))) {
		(void)snprintf(code, sizeof(code), "\\x%02x",
			       (unsigned char)text.data[0]);
		len = 1;
	} else if (utf8_unseen(character)) {
		(void)snprintf(code, sizeof(code), "\\u{%04x}", character);
	} else if (json || !looks_ours(text)) {
		/* Wide ones are all above the letters of Europe and Asia's
		 * alphabets; to take a narrow one for wide does no harm. */
		put(pen, (struct span){ text.data, len },
		    character < 0x1100 ? 1 : 2);
		return len;
	}
	put(pen, span_of(code), strlen(code));
	return len;
}

/* How many columns the word that @text starts with takes, up to @most. */
static size_t word_width(struct span text, bool json, size_t most)
{
	autobuf struct buf out = { 0 };
	struct pen pen = { .out = &out, .columns = SIZE_MAX };
	size_t i = 0;

	while (i < text.len && pen.column <= most && text.data[i] != ' ' &&
	       text.data[i] != '\n')
		i += put_next(&pen, span_from(text, i), json);
	return pen.column;
}

/* A word that fits into a row is not broken: an id is there to be copied. */
static void keep_word(struct pen *pen, struct span text, const struct show *how)
{
	size_t room = pen->columns - strlen(ROW_WRAPPED);
	size_t width = word_width(text, how->json, room);

	if (width <= room && pen->column + width > pen->columns)
		new_row(pen, ROW_WRAPPED);
}

/* Returns how much of @text was put before a limit was met. */
static size_t put_text(struct pen *pen, struct span text,
		       const struct show *how)
{
	size_t most = text.len < SHOW_BYTES_MAX ? text.len : SHOW_BYTES_MAX;
	size_t i = 0;

	while (i < most && pen->rows < SHOW_ROWS_MAX) {
		if (how->rows && text.data[i] == '\n') {
			new_row(pen, ROW_NEW);
			i++;
			continue;
		}
		if (i && text.data[i - 1] == ' ')
			keep_word(pen, span_from(text, i), how);
		i += put_next(pen, span_from(text, i), how->json);
	}
	return i;
}

static void put_name(struct pen *pen, struct span name)
{
	struct span shown = name;
	size_t i = 0;

	if (shown.len > SHOW_NAME_MAX)
		shown.len = SHOW_NAME_MAX;
	put(pen, span_of(INDENT), strlen(INDENT));
	while (i < shown.len)
		i += put_next(pen, span_from(shown, i), false);
	if (shown.len < name.len)
		put(pen, span_of("..."), 3);
	put(pen, span_of(":"), 1);
}

void show_field(struct buf *out, struct span name, struct span text,
		const struct show *how)
{
	struct pen pen = {
		.out = out,
		.columns = how->columns > SHOW_COLUMNS_MIN ? how->columns
							   : SHOW_COLUMNS_MIN,
	};
	size_t shown;

	/* Where newlines start rows, one at the end starts an empty one. */
	if (how->rows && text.len && text.data[text.len - 1] == '\n')
		text.len--;
	put_name(&pen, name);
	put(&pen, span_of(" "), 1);
	shown = put_text(&pen, text, how);
	buf_addc(out, '\n');
	if (shown == text.len)
		return;
	buf_addf(out, INDENT "[cut: %zu of %zu bytes are shown", shown,
		 text.len);
	if (how->whole)
		buf_addf(out, "; %s has all", how->whole);
	buf_adds(out, "]\n");
}
