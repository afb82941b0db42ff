/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_DESCEND_H
#define CHOCK_COW_DESCEND_H

/*
 * descend - a file or a tree, told of name by name, each of them looked at
 *
 * Names come sorted, a directory before what is in it, and no link is followed.
 * What cannot be looked at or opened ends it, so that who heard of all knows
 * all.  Two others go through trees for other ends: survey.h, which looks at
 * nothing but directories and passes over those that may not be read, and
 * node_changed(), to which what goes away meanwhile is a change.
 */

#include <stdbool.h>
#include <sys/stat.h>

/* A name on the way, in the directory dir_fd. */
struct descend {
	int dir_fd;
	const char *name;
	const char *path; /* relative to the directory that it began from */
	unsigned int depth;
	bool own; /* as for node_open() */
};

typedef int descend_tell(void *context, const struct descend *at,
			 const struct stat *st);

/*
 * descend - tell @tell of @path below @root_fd, and of all below that
 *
 * When it returns 1, nothing below is told of; a negative result ends it.  A
 * name at which nothing is any more is passed over.  With @own what a session
 * made unreadable is read.
 *
 * Returns 0, that negative result, -ENAMETOOLONG for what is deeper than
 * node_depth_max(), or another -errno.
 */
int descend(int root_fd, const char *path, bool own, descend_tell *tell,
	    void *context);

/* descend_below - the same of all that is below the directory @root_fd, without
 * @own */
int descend_below(int root_fd, descend_tell *tell, void *context);

#endif /* CHOCK_COW_DESCEND_H */
