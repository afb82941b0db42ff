/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_REFS_H
#define CHOCK_WORKSPACE_REFS_H

/*
 * refs - the project's references, written without running a hook
 *
 * A transaction is a prepared one of `git update-ref`: HEAD and the branch that
 * it stands for are locked and are known to be where they should be.  If this
 * process dies, git lets go of the locks and nothing has moved.
 */

#include <sys/types.h>

#include "base/span.h"
#include "workspace/project.h"

struct names;
struct why;

#define REFS_PARKED "refs/chock/" /* and the session's id */

struct refs_transaction {
	pid_t pid;
	int fd; /* owned; both ways; -1: nothing is held */
};

#define REFS_TRANSACTION_CLOSED ((struct refs_transaction){ .fd = -1 })

/*
 * refs_keep - make @ref name @to
 *
 * One that is there already must name @to or a commit that @to follows from.
 *
 * Returns 0, -EEXIST if it holds other work, or another -errno.
 */
int refs_keep(const struct project *project, const char *ref, const char *to,
	      struct why *why);

/* refs_park - the same for refs/chock/@id */
int refs_park(const struct project *project, const char *id, const char *to,
	      struct why *why);

/* refs_remove - remove all of @refs, or none; 0 or -errno */
int refs_remove(const struct project *project, const struct names *refs,
		struct why *why);

/*
 * refs_prepare - be ready to move HEAD's branch from @from to @to
 *
 * Returns 0, -EAGAIN if it is not at @from or is locked, or another -errno.
 */
int refs_prepare(struct refs_transaction *held, const struct project *project,
		 const char *from, const char *to, struct why *why);

/* refs_commit - do what refs_prepare() made ready; returns 0 or -errno */
int refs_commit(struct refs_transaction *held, struct why *why);

/* refs_abort - give up what is held, with nothing moved; fine on none */
void refs_abort(struct refs_transaction *held);

#endif /* CHOCK_WORKSPACE_REFS_H */
