/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_COPY_H
#define CHOCK_COW_COPY_H

/*
 * copy - a tree out of a layer, as files of the caller's
 *
 * What lands is content, the bits of NODE_MODE, the time of the last change,
 * and holes.  What does not: owners, set-id bits, extended attributes and
 * access lists; two names of one file become two files.  FIFOs, sockets and
 * devices are left out and told of, and so is what is deeper than a path, or
 * node_depth_max(), can reach.
 */

#include <stdbool.h>

/* Told of each thing that is left out; @path is behind the tree's own. */
typedef void copy_left_out(void *context, const char *path, const char *what);

struct copy {
	bool own;                /* as for node_open() */
	const char *path;        /* borrowed; what the tree is called */
	copy_left_out *left_out; /* NULL: nobody is told */

	/* skips - whether @path is left out, and nobody told; or NULL */
	bool (*skips)(void *context, const char *path);

	void *context; /* borrowed */
};

/*
 * copy_tree - copy @name in @from_fd to @to_name in @to_fd, which is not there
 *
 * A directory at the top can be moved by its owner, whatever its mode would
 * be; to set that is for the caller.
 *
 * Returns 0, -EINVAL for what cannot be copied at all, or another -errno.
 */
int copy_tree(const struct copy *copy, int from_fd, const char *name, int to_fd,
	      const char *to_name);

#endif /* CHOCK_COW_COPY_H */
