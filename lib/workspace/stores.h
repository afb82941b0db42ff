/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_STORES_H
#define CHOCK_WORKSPACE_STORES_H

/*
 * stores - where the objects of a project are
 *
 * A part of workspace/project, for it alone.  A session can read each store
 * as a whole, and it is the repository that names them: one is a directory with
 * nothing but what git has in a store, of the caller, of root or of whose the
 * repository is; only what is in the repository itself is not looked at.
 */

struct project;
struct why;

/*
 * stores_find - fill the stores of @project, whose directories are known, and
 * which of them are outside
 *
 * Returns 0, -EINVAL for what is no store, or another -errno.
 */
int stores_find(struct project *project, struct why *why);

#endif /* CHOCK_WORKSPACE_STORES_H */
