/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_ACCOUNTING_H
#define CHOCK_LIMIT_ACCOUNTING_H

/*
 * accounting - process 1 counting what its sandbox uses, where no cgroup does
 *
 * It looks every USAGE_INTERVAL milliseconds and ends everything that is over
 * its limit of memory or, where the kernel would refuse it none, of processes.
 *
 * Invariants
 *   - What cannot be looked at any more is ended.
 */

#include <stdbool.h>

#include "limit/usage.h"

struct loop;
struct outcome;
struct sandbox;

struct accounting {
	const struct sandbox *sandbox; /* borrowed */
	struct outcome *outcome;       /* borrowed */
	struct loop *loop;             /* borrowed */
	struct usage usage;
	bool crowded; /* there were once as many tasks as there may be */
};

#define ACCOUNTING_CLOSED ((struct accounting){ .usage = USAGE_CLOSED })
#define autoaccounting __attribute__((cleanup(accounting_close)))

/*
 * accounting_open - open what is to be looked at, if the limits want it, and
 * say in @outcome whether process 1 can look
 */
void accounting_open(struct accounting *accounting,
		     const struct sandbox *sandbox, struct outcome *outcome);

/* accounting_start - look from now on, in @loop */
void accounting_start(struct accounting *accounting, struct loop *loop);

/*
 * accounting_end - the command has ended; if it failed, and there were as many
 * tasks as the kernel lets its user have, say so in the outcome
 *
 * A fork that an rlimit refuses is told to nobody but who called it, so what
 * is known of it is what a look came upon.
 */
void accounting_end(struct accounting *accounting);

/* accounting_close - look no more; after the loop has ended */
void accounting_close(struct accounting *accounting);

#endif /* CHOCK_LIMIT_ACCOUNTING_H */
