/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_ASK_LINEDIFF_H
#define CHOCK_ASK_LINEDIFF_H

/*
 * linediff - which lines of a text went, and which came
 *
 * The longest common run of lines stays, where the parts that differ are
 * small enough to look for it: otherwise all of the old part went and all of
 * the new one came, which is true as well.
 *
 * Invariants
 *   - The lines that stay and those that went are the old text, those that
 *     stay and those that came the new one, in order.
 */

#include <stddef.h>

#include "base/span.h"

#define LINEDIFF_CELLS_MAX ((size_t)4 << 20) /* lines that went times came */

enum linediff {
	LINE_STAYED,
	LINE_WENT,
	LINE_CAME,
};

/* linediff_line - told of each line, without its newline, and its number */
typedef void linediff_line(void *context, enum linediff what, size_t number,
			   struct span line);

/*
 * linediff - tell @line of every line of @old and @new
 *
 * The number is that in @new, and in @old for a line that went.
 */
void linediff(struct span old, struct span new, linediff_line *line,
	      void *context);

#endif /* CHOCK_ASK_LINEDIFF_H */
