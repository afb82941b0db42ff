/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_RECOVER_H
#define CHOCK_WORKSPACE_RECOVER_H

/*
 * recover - a project after an apply that was cut off
 *
 * The branch is the last thing that an apply moves.  If it is where it was to
 * go, the apply was finished.  Else the files are put back to what the branch
 * has, each that is as the apply would have left it, or half of that; one that
 * somebody changed since is left, and named.
 */

#include "base/buf.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

/*
 * recover_apply - see to what a journal tells of, if there is one
 *
 * @what gets what was the case, as a sentence; it stays empty without a
 * journal.  Locks that the apply left are removed.
 *
 * Returns 0, -EALREADY while the apply goes on, -EAGAIN where another git may
 * hold a lock, or another -errno; then the journal stays for the next try.
 */
int recover_apply(struct buf *what, const struct space *space,
		  const struct project *project, struct why *why);

#endif /* CHOCK_WORKSPACE_RECOVER_H */
