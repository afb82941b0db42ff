/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_PROGRESS_H
#define CHOCK_BASE_PROGRESS_H

/*
 * progress - a line on a terminal, for as long as something takes
 *
 *	autoprogress struct progress progress = { 0 };
 *
 *	progress_begin(&progress, "checking out the copy");
 *
 * Nothing is shown until a program has said where, and then only if that is a
 * terminal and the program is in its foreground.  One line is redrawn there,
 * once what was begun takes longer than PROGRESS_AFTER_MS, and wiped when it
 * ends, before any message of base/report, and when a signal ends the program.
 *
 * Invariants
 *   - It is drawn within a call of these functions and at no other time: there
 *     is no thread, no timer and no process that could draw into what another
 *     program shows, once this one waits for nothing or has ended.
 *   - Without a terminal every call returns at once.
 *   - No signal is handled before there is a line, and none that a program
 *     handles or ignores itself; what it ends the program with stays the same.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How long something takes before it is shown, and how often it is redrawn. */
#define PROGRESS_AFTER_MS 1000
#define PROGRESS_EVERY_MS 100

/* The variable that says another time, in milliseconds, or PROGRESS_NEVER. */
#define PROGRESS_VARIABLE "CHOCK_PROGRESS"
#define PROGRESS_NEVER "never"
#define PROGRESS_AFTER_MAX 3600000

struct progress {
	const char *doing; /* borrowed, for as long as it lasts; NULL: ended */
	uint64_t done;     /* files */
	uint64_t all;      /* 0: nobody knows */
	int64_t began;
	struct progress *outer; /* what it is a part of; NULL: of nothing */

	void (*ask)(struct progress *progress, int fd); /* progress_ask() */
	int ask_fd;                                     /* borrowed */
};

#define autoprogress __attribute__((cleanup(progress_end)))

/*
 * progress_open - show it on @fd, which is borrowed, as @program
 *
 * A PROGRESS_VARIABLE that is no number, and no PROGRESS_NEVER, counts for
 * nothing.
 */
void progress_open(int fd, const char *program);

/* progress_is_open - whether something may be shown at all */
bool progress_is_open(void);

/*
 * progress_begin - @doing begins, with nothing done
 *
 * What is begun before is gone on with when @progress ends.
 */
void progress_begin(struct progress *progress, const char *doing);

/* progress_end - it is over; fine if it never began */
void progress_end(struct progress *progress);

/*
 * progress_ask - have @ask called for what was begun last before it is shown
 *
 * It brings done and all up to date from @fd, which is borrowed; NULL: nobody.
 */
void progress_ask(void (*ask)(struct progress *progress, int fd), int fd);

/* progress_step - one more file is done of what was begun last */
void progress_step(void);

/* progress_wipe - take the line away; the next call may draw it again */
void progress_wipe(void);

/* progress_look - draw the line if it is time for that */
void progress_look(void);

/* progress_wait_ms - how long poll(2) may wait until then; -1: for ever */
int progress_wait_ms(void);

/* progress_wait_fd - return when @fd can be read, and look meanwhile */
void progress_wait_fd(int fd);

/* progress_wait_pid - return when the child @pid has ended, and look meanwhile;
 * it is still to be waited for */
void progress_wait_pid(pid_t pid);

#endif /* CHOCK_BASE_PROGRESS_H */
