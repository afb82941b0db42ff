/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_ASK_SHOW_H
#define CHOCK_ASK_SHOW_H

/*
 * show - text that somebody hostile may have chosen, made fit for a terminal
 *
 * What a person sees must be what is there, and nothing else on the screen
 * may change by it.  So whatever moves the cursor, reorders, hides or cannot
 * be told apart from a blank comes out as \xNN (a byte) or \u{NNNN} (a
 * character), and a backslash that could be read as the start of one of those
 * is doubled.
 *
 * A text is broken into rows here and not by the terminal: each row but the
 * first starts with a mark in its margin, so that no text can look like a row
 * of ours.  Rows end at a blank where the word behind it fits into one.
 *
 * Invariants
 *   - What comes out is UTF-8 and has no control character but the newlines
 *     at the ends of rows; a row of text is at most SHOW_COLUMNS_MIN columns
 *     wide, or as wide as was asked for if that is more.
 *   - At most SHOW_BYTES_MAX bytes of a text in SHOW_ROWS_MAX rows come out;
 *     then one row says how much there is.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

#define SHOW_BYTES_MAX ((size_t)4096)
#define SHOW_NAME_MAX ((size_t)64) /* bytes of a field's name */
#define SHOW_ROWS_MAX 60
#define SHOW_COLUMNS_MIN ((size_t)40)

/* How a text is to be shown. */
struct show {
	size_t columns;    /* of the terminal */
	bool rows;         /* a newline starts a row, unless all ends with it */
	bool json;         /* the text is JSON, with backslashes of its own */
	const char *whole; /* borrowed; where all of it can be read, such as
			    * "line 7 of the input"; NULL: nowhere else */
};

/* show_field - put "name: text" behind @out, with a newline at the end */
void show_field(struct buf *out, struct span name, struct span text,
		const struct show *how);

#endif /* CHOCK_ASK_SHOW_H */
