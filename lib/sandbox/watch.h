/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_WATCH_H
#define CHOCK_SANDBOX_WATCH_H

/*
 * watch - the outside of a sandbox while it runs
 *
 * Hands on the signals that a caller or a terminal sends, stops and goes on
 * with it, and ends it when its time is over.  Signals are waited for and
 * never handled, so that none can come at a wrong moment.
 *
 * Invariants
 *   - Between watch_open() and watch_close() the watched signals are blocked.
 *   - A signal that the caller ignores stays ignored.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct watch {
	sigset_t waited;
	sigset_t before;
};

/* watch_open - from now on no signal is lost */
void watch_open(struct watch *watch);

/*
 * watch_until_end - wait for the end of @pid, process 1 of a sandbox
 *
 * After @seconds (LIMIT_NONE: never) everything in it is asked to end, and
 * SANDBOX_GRACE seconds later it is ended.
 *
 * Returns whether the time ran out.
 */
bool watch_until_end(struct watch *watch, pid_t pid, uint64_t seconds);

/* watch_close - put back the caller's signals */
void watch_close(struct watch *watch);

#endif /* CHOCK_SANDBOX_WATCH_H */
