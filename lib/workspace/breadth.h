/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_BREADTH_H
#define CHOCK_WORKSPACE_BREADTH_H

/*
 * breadth - how many paths the trees of a session's commits stand for
 *
 * A tree may name another any number of times: ten trees of ten entries each
 * are 10^10 paths in three thousand bytes.  git goes through every one of them
 * when it compares, and keeps each in memory.  So the trees that a session
 * brings are read once each and their paths added up, before anything is
 * compared.  A tree that the project had before counts as one path: it is not
 * looked into.
 */

#include "base/buf.h"
#include "workspace/git.h"

struct why;

/* Of the tree of any commit, as far as it is new. */
#define BREADTH_PATHS_MAX ((size_t)4000000)

/*
 * breadth_check - whether each new tree of @to, not in @from, is within these,
 * and each other object that is new is there
 *
 * @from is empty where there was no commit.
 *
 * Returns 0, -EFBIG if one is not, or they are too many, -EBADMSG if one is
 * missing or cannot be read, or another -errno.
 */
int breadth_check(struct git *git, const struct buf *from, const struct buf *to,
		  struct why *why);

#endif /* CHOCK_WORKSPACE_BREADTH_H */
