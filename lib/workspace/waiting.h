/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_WAITING_H
#define CHOCK_WORKSPACE_WAITING_H

/*
 * waiting - work of sessions that is in a project, and on no branch of it
 */

struct names;
struct project;
struct why;

/*
 * waiting_find - put the sessions whose reference (REFS_PARKED) no branch leads
 * to behind @ids, sorted
 *
 * One whose work landed as other commits (rebase, squash) is among them.
 * Returns 0 or -errno.
 */
int waiting_find(struct names *ids, const struct project *project,
		 struct why *why);

#endif /* CHOCK_WORKSPACE_WAITING_H */
