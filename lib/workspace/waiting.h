/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_WAITING_H
#define CHOCK_WORKSPACE_WAITING_H

/*
 * waiting - work of sessions that is in a project, and on no branch of it
 */

#include "base/span.h"

struct names;
struct project;
struct why;

/*
 * waiting_find - put the references of sessions (below REFS_PARKED and
 * ALSO_PARKED) that no branch leads to behind @refs, sorted
 *
 * One whose work landed as other commits (rebase, squash) is among them.
 * Returns 0 or -errno.
 */
int waiting_find(struct names *refs, const struct project *project,
		 struct why *why);

/* waiting_all - the same of all references of sessions */
int waiting_all(struct names *refs, const struct project *project,
		struct why *why);

/*
 * waiting_session - the session that the reference @ref is of
 *
 * Points into @ref; empty if it is of none.
 */
struct span waiting_session(const char *ref);

#endif /* CHOCK_WORKSPACE_WAITING_H */
