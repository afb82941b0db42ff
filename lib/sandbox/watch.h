/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_WATCH_H
#define CHOCK_SANDBOX_WATCH_H

/*
 * watch - the outside of a sandbox while it runs
 *
 * Hands on the signals that a caller or a terminal sends, stops and goes on
 * with it, and ends it when its time is over.  All of that happens in one
 * loop, to which others can add what they wait for.
 *
 * Invariants
 *   - Between watch_open() and watch_close() the watched signals are blocked.
 *   - A signal that the caller ignores stays ignored.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"
#include "spec/sandbox.h"

struct pipes;
struct relay;
struct why;

struct watch {
	struct loop loop;
	sigset_t before;
	struct sigaction of_children; /* the caller's, of SIGCHLD */
	pid_t pid;                    /* of process 1 of the sandbox */
	int word_fd;    /* borrowed; a socket to it: for each signal a byte */
	int end_signal; /* to it, ends all; SIGKILL if nothing is said */
	bool timed_out;
	bool ended;          /* it has; what is left is what it wrote */
	bool passing;        /* that, into pipes */
	struct pipes *pipes; /* borrowed; NULL: there are none */
	struct relay *relay; /* borrowed; NULL: there is none */
};

/*
 * watch_open - from now on no signal is lost; returns 0 or -errno
 *
 * With a terminal of the sandbox's own, watch->relay is for the caller to set.
 */
int watch_open(struct watch *watch, enum sandbox_tty tty, struct why *why);

/*
 * watch_until_end - wait for the end of watch->pid, process 1 of a sandbox
 *
 * After @seconds (LIMIT_NONE: never) everything in it is asked to end, and
 * SANDBOX_GRACE seconds later it is ended by watch_end().
 *
 * What the sandbox wrote into pipes is passed on before it returns; a reader
 * that takes nothing keeps it no longer than the time, or SANDBOX_GRACE seconds
 * where that is over.
 *
 * Returns 0 or -errno; watch->timed_out is whether the time ran out.
 */
int watch_until_end(struct watch *watch, uint64_t seconds, struct why *why);

/*
 * watch_end - end everything in the sandbox now
 *
 * A process 1 that has not ended SANDBOX_GRACE seconds later is killed, and no
 * longer waited for.
 */
void watch_end(struct watch *watch);

/* watch_close - put back the caller's signals, SIGCHLD's action too */
void watch_close(struct watch *watch);

#endif /* CHOCK_SANDBOX_WATCH_H */
