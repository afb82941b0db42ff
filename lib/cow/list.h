/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_LIST_H
#define CHOCK_COW_LIST_H

/*
 * list - changes as lines that people and programs read
 *
 *	A PATH    added
 *	M PATH    changed: content, mode, time, or what it is
 *	D PATH    removed
 *
 * A line for each file, link and directory, those of whole trees included.
 * Ended by a newline, a path has each backslash doubled and each byte that is
 * no printable ASCII, nor a blank, as a backslash and three octal digits.
 * Ended by a NUL, a path is as it is.
 */

#include <stdbool.h>

#include "base/buf.h"

struct change;
struct why;

#define autolist __attribute__((cleanup(list_drop)))

struct list {
	int fd;     /* borrowed */
	bool plain; /* NUL at the end, and paths as they are */
	struct buf lines;
};

/* list_change - write the lines of @change; returns 0 or -errno */
int list_change(struct list *list, const struct change *change,
		struct why *why);

/* list_end - write what was not written yet; returns 0 or -errno */
int list_end(struct list *list, struct why *why);

/* list_drop - release the memory */
void list_drop(struct list *list);

#endif /* CHOCK_COW_LIST_H */
