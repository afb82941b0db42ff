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
 * Ended by a NUL, a path is as it is.  Or somebody is told of each instead, and
 * nothing is written.
 */

#include <stdbool.h>

#include "base/buf.h"

struct layerdiff_change;
struct why;

#define autolist __attribute__((cleanup(list_drop)))

/* One line.  What is new stands at @name in @fd, -1 if it is gone, and what was
 * there before at @name in @old_fd, -1 if nothing was. */
struct list_line {
	char letter;
	const char *path;
	int fd, old_fd; /* borrowed, as all of it is, for one call */
	const char *name;
};

/* Told of a line instead of having it written; 0 or -errno. */
typedef int list_tell(void *context, const struct list_line *line);

struct list {
	int fd;          /* borrowed */
	bool plain;      /* NUL at the end, and paths as they are */
	list_tell *tell; /* NULL: lines are written to fd */

	/* left_out - told of what does not land within a tree, and of what is
	 * deeper than a path, or node_depth_max(), can reach; may be NULL */
	void (*left_out)(void *context, const char *path, const char *what);

	void *context; /* borrowed */
	struct buf lines;
};

/* list_change - write the lines of @change; returns 0 or -errno */
int list_change(struct list *list, const struct layerdiff_change *change,
		struct why *why);

/* list_end - write what was not written yet; returns 0 or -errno */
int list_end(struct list *list, struct why *why);

/* list_path - put @path behind @line, as it stands in a line */
void list_path(struct buf *line, const char *path);

/* list_drop - release the memory */
void list_drop(struct list *list);

#endif /* CHOCK_COW_LIST_H */
