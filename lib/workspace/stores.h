/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_STORES_H
#define CHOCK_WORKSPACE_STORES_H

/*
 * stores - where the objects of a project are
 *
 * A part of workspace/project, for it alone.
 */

struct project;
struct why;

/*
 * stores_find - fill the stores of @project, whose directories are known
 *
 * Returns 0 or -errno.
 */
int stores_find(struct project *project, struct why *why);

#endif /* CHOCK_WORKSPACE_STORES_H */
