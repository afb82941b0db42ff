/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_MAKING_H
#define CHOCK_WORKSPACE_MAKING_H

/*
 * making - the calls of git that a course is made by
 *
 * For workspace/course alone, which is in two files.  What git cannot do, or
 * does not want to, is no failure of ours: it is the reason why there is no
 * course, and the work waits.
 */

#include "workspace/course.h"
#include "workspace/git.h"
#include "workspace/names.h"

/* What a course is made with. */
struct making {
	struct course *course;
	struct git git;   /* in the quarantine, as the person */
	struct names env; /* who a commit is by */
	const struct effect *effect;
	const struct space *space;
};

/* A commit with at most two parents. */
struct made {
	const char *tree;
	const char *parents[2];
	struct span message;
};

/*
 * making_end - turn the status @r of a call into a reason if git said no
 *
 * Returns 0, or @r if it is -errno.
 */
int making_end(struct making *m, int r, const char *what);

/* making_commit - write it; returns git's status or -errno */
int making_commit(struct making *m, const struct made *made, struct buf *id,
		  struct why *why);

/*
 * making_merge - the merged tree of two commits
 *
 * Returns 0, with @tree or the course's reason filled, or -errno.
 */
int making_merge(struct making *m, const char *ours, const char *theirs,
		 struct buf *tree, struct why *why);

/* making_replay - the course by which each commit is put onto the branch */
int making_replay(struct making *m, struct why *why);

#endif /* CHOCK_WORKSPACE_MAKING_H */
