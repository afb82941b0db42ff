/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_LINE_H
#define CHOCK_BASE_LINE_H

/*
 * line - input, a line at a time, and never more than a line of it
 *
 * The only way in which our programs read records.  A line that is longer
 * than LINE_MAX_LEN, or that the end of the input cuts off, is an error and
 * never a shorter line.
 *
 * Invariants
 *   - number is the number of the line that lines_next() returned last,
 *     counted from 1.
 *   - An all-zero struct with the descriptor set is ready for use.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct why;

#define LINE_MAX_LEN ((size_t)1 << 20) /* bytes, without the newline */

#define autolines __attribute__((cleanup(lines_drop)))

struct lines {
	int fd; /* borrowed */
	struct buf held;
	size_t start;    /* of what was not returned yet, in held */
	size_t searched; /* how much of held is known to have no newline */
	uint64_t number;
	bool ended;
	bool skipping; /* the rest of a line that was too long */
};

/* lines_init - read lines from @fd, which stays the caller's */
void lines_init(struct lines *lines, int fd);

/*
 * lines_next - the next line, without its newline
 *
 * @line is valid until the next call.
 *
 * Returns 1 with a line, 0 at the end; -EFBIG for a line that is too long
 * (the call after that goes on with the line behind it), -EBADMSG if the
 * input ends within a line, or another -errno of read(2).
 */
int lines_next(struct lines *lines, struct span *line, struct why *why);

/*
 * lines_pending - whether a whole line waits that needs no further read(2)
 *
 * For who answers in groups: sync once, after the last line at hand.
 */
bool lines_pending(const struct lines *lines);

/* lines_drop - release the memory; the descriptor stays open */
void lines_drop(struct lines *lines);

#endif /* CHOCK_BASE_LINE_H */
