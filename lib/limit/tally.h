/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_TALLY_H
#define CHOCK_LIMIT_TALLY_H

/*
 * tally - process 1 counting what its sandbox uses, where no cgroup does
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

struct tally {
	const struct sandbox *sandbox; /* borrowed */
	struct outcome *outcome;       /* borrowed */
	struct loop *loop;             /* borrowed */
	struct usage usage;
	bool crowded; /* there were once as many tasks as there may be */
};

#define TALLY_CLOSED ((struct tally){ .usage = USAGE_CLOSED })
#define autotally __attribute__((cleanup(tally_close)))

/*
 * tally_open - open what is to be looked at, if the limits want it, and say in
 * @outcome whether process 1 can look
 */
void tally_open(struct tally *tally, const struct sandbox *sandbox,
		struct outcome *outcome);

/* tally_start - look from now on, in @loop */
void tally_start(struct tally *tally, struct loop *loop);

/*
 * tally_end - the command has ended; if it failed, and there were as many tasks
 * as the kernel lets its user have, say so in the outcome
 *
 * A fork that an rlimit refuses is told to nobody but who called it, so what
 * is known of it is what a look came upon.
 */
void tally_end(struct tally *tally);

/* tally_close - look no more; after the loop has ended */
void tally_close(struct tally *tally);

#endif /* CHOCK_LIMIT_TALLY_H */
