/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_INDEXLOCK_H
#define CHOCK_WORKSPACE_INDEXLOCK_H

/*
 * indexlock - the project's index, changed by one rename while it is locked by
 * us
 *
 * git's own programs would lock it by a file that does not tell whose it is.
 * Ours says in its contents which session's it is from the moment it has the
 * name, so that one that is left by an apply that was cut off can be told from
 * every other git's.
 */

#include "workspace/project.h"
#include "workspace/space.h"

struct why;

struct indexlock {
	char *lock; /* owned; NULL: it is not locked */
};

#define autoindexlock __attribute__((cleanup(indexlock_end)))

/*
 * indexlock_take - lock the index; a lock that this session left is taken over
 *
 * Returns 0, -EAGAIN if another git has locked it, or another -errno.
 */
int indexlock_take(struct indexlock *indexlock, const struct space *space,
		   const struct project *project, struct why *why);

/*
 * indexlock_place - make the workspace's copy of the index the project's own
 *
 * Returns 0 or -errno; the project's is then as it was.
 */
int indexlock_place(const struct space *space, const struct project *project,
		    struct why *why);

/* indexlock_clear - remove what this session left of it; 0 or -errno */
int indexlock_clear(const struct space *space, const struct project *project,
		    struct why *why);

/* indexlock_end - unlock the index; fine if it is not locked */
void indexlock_end(struct indexlock *indexlock);

#endif /* CHOCK_WORKSPACE_INDEXLOCK_H */
