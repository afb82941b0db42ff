/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_SUBAGENTS_H
#define CHOCK_CALL_SUBAGENTS_H

/*
 * subagents - how many agents an agent can start, and how deep
 *
 * `subagents width W depth D`: a chain of more than D agents starts none, and
 * every other one no more than W that run at a time.  The first layer that
 * says it counts, of several files in it the lower numbers, and no ceiling is
 * exceeded.
 *
 * Invariants
 *   - An all-zero struct spawned has counted nothing.
 */

#include <stddef.h>
#include <stdint.h>

#include "policy/decide.h"

struct buf;

/* Where no policy says it. */
#define SUBAGENTS_WIDTH_DEFAULT 6
#define SUBAGENTS_DEPTH_DEFAULT 6

#define SUBAGENTS_CHAINS_MAX 1024 /* of which it is counted what they started */

/* How many agents each chain was allowed to start. */
struct spawned {
	struct spawned_chain *chains; /* owned */
	size_t count;
};

/* What is asked. */
struct spawning {
	const struct asker *asker;
	struct span kind; /* without data: not said */
	int64_t running;  /* how many it has now; -1: not said, so counted */
};

/*
 * subagents_judge - whether the asker can start one more
 *
 * Where it cannot, the reason is put behind @text.
 */
struct answer subagents_judge(const struct policy *policy,
			      const struct spawned *spawned,
			      const struct spawning *spawning,
			      struct buf *text);

/* spawned_add - count one more for the chain of @asker, for which there is room
 * if subagents_judge() allowed it */
void spawned_add(struct spawned *spawned, const struct asker *asker);

/* spawned_drop - release it; good as new afterwards */
void spawned_drop(struct spawned *spawned);

#endif /* CHOCK_CALL_SUBAGENTS_H */
