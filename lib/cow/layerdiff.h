/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_LAYERDIFF_H
#define CHOCK_COW_LAYERDIFF_H

/*
 * layerdiff - what an upper layer comes to, held against what is below it now
 *
 * The upper layer has whole directories, files and removals; a change is the
 * topmost place at which the two differ.  What is below may itself have been
 * changed since the run began, and a change that meets such a place says so.
 */

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

struct before;
struct why;

enum layerdiff_kind {
	LAYERDIFF_SWAP, /* another file or tree, or none, in the place of one */
	LAYERDIFF_MODE, /* the mode of a directory that stays */
};

/* One place; everything in it lives for the call that is told of it. */
struct layerdiff_change {
	enum layerdiff_kind kind;
	const char *path; /* relative */
	const char *name; /* its last part */
	int upper_fd;     /* borrowed; the directory of the new one */
	int lower_fd;     /* borrowed; of the old one; -1: none is there */
	bool has_new, has_old;
	bool changed; /* the old one was, from outside */
	struct stat new_st, old_st;
};

/* Of what, and who is told. */
struct layerdiff {
	int upper_fd;          /* borrowed; the layer */
	int lower_fd;          /* borrowed; the directory */
	struct timespec since; /* when the run began */

	/* borrowed; what was below when the layer began; NULL: nobody wrote it
	 * down, and then what the session made anew counts as new */
	struct before *before;

	/* of lower_fd, before a stage was made in it; NULL: as it is now */
	const struct stat *lower_st;

	/* change - told of each in the order of names; 0 or -errno */
	int (*change)(void *context, const struct layerdiff_change *change,
		      struct why *why);

	/* left_out - what the host's directory is not given; may be NULL */
	void (*left_out)(void *context, const char *path, const char *what);

	void *context; /* borrowed */
};

/*
 * layerdiff_tell - go through all of the layer
 *
 * What is deeper than a path, or node_depth_max(), can reach is left out.
 *
 * Returns 0, what change() returned, or another -errno.
 */
int layerdiff_tell(const struct layerdiff *diff, struct why *why);

#endif /* CHOCK_COW_LAYERDIFF_H */
