/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_LOOP_H
#define CHOCK_BASE_LOOP_H

/*
 * loop - the one place in which a process waits for all that can happen
 *
 * Signals come through a descriptor (signalfd(2)) and are never handled, so
 * that none can come at a wrong moment; other descriptors are polled beside
 * it, and moments are waited for in between.
 *
 * Invariants
 *   - What is called from a loop may change it in every way, but not close it.
 *   - Nothing is called after loop_end().
 *   - What came to a descriptor is not told to who watches another one that
 *     took over its number since.
 */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/signalfd.h>

struct why;

#define LOOP_SOURCES_MAX 16
#define LOOP_TIMERS_MAX 12

#define autoloop __attribute__((cleanup(loop_close)))

typedef void loop_signal_fn(void *arg, const struct signalfd_siginfo *info);
typedef void loop_ready_fn(void *arg, short events);
typedef void loop_timer_fn(void *arg);

struct loop_source {
	int fd; /* borrowed */
	short events;
	uint64_t since; /* the round in which it came */
	loop_ready_fn *fn;
	void *arg; /* borrowed */
};

struct loop_timer {
	int64_t at; /* nanoseconds of CLOCK_MONOTONIC */
	loop_timer_fn *fn;
	void *arg; /* borrowed */
};

struct loop {
	int signal_fd; /* owned; -1 when closed */
	loop_signal_fn *signal_fn;
	void *signal_arg; /* borrowed */
	struct loop_source sources[LOOP_SOURCES_MAX];
	size_t source_count;
	struct loop_timer timers[LOOP_TIMERS_MAX];
	size_t timer_count;
	uint64_t round; /* of waiting, and calling */
	bool ended;
};

#define LOOP_CLOSED ((struct loop){ .signal_fd = -1 })

/*
 * loop_open - a loop that calls @fn with @arg for each of @signals
 *
 * The caller has them blocked, and keeps them so.  Returns 0 or -errno.
 */
int loop_open(struct loop *loop, const sigset_t *signals, loop_signal_fn *fn,
	      void *arg, struct why *why);

/*
 * loop_watch - call @fn with @arg whenever @fd has one of @events of poll(2)
 *
 * A second call for the same descriptor changes what is waited for; with no
 * @events it is not looked at, not even for its end.
 */
void loop_watch(struct loop *loop, int fd, short events, loop_ready_fn *fn,
		void *arg);

/* loop_forget - wait for @fd no longer; before it is closed */
void loop_forget(struct loop *loop, int fd);

/*
 * loop_after - call @fn with @arg once, when @ms milliseconds are over
 *
 * A second call for the same @fn and @arg sets it anew.
 */
void loop_after(struct loop *loop, int64_t ms, loop_timer_fn *fn, void *arg);

/* loop_cancel - do not call it */
void loop_cancel(struct loop *loop, loop_timer_fn *fn, const void *arg);

/* loop_run - wait and call until loop_end(); returns 0 or -errno */
int loop_run(struct loop *loop, struct why *why);

/* loop_end - have loop_run() return */
void loop_end(struct loop *loop);

/* loop_close - let go of it; good as LOOP_CLOSED afterwards */
void loop_close(struct loop *loop);

#endif /* CHOCK_BASE_LOOP_H */
