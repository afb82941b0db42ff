/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_NOTIFY_H
#define CHOCK_SANDBOX_NOTIFY_H

/*
 * notify - who made a call that kills, noted and then ended
 *
 * A filter that kills tells nobody why.  Where the kernel can, the calls that
 * kill hold their thread and are told to a listener instead
 * (SECCOMP_RET_USER_NOTIF, seccomp_unotify(2), Linux 5.0), which notes the
 * call and the program, and ends the process with SIGSYS as the kernel would
 * have.  The listener is a process that the filter does not hold: process 1
 * of a sandbox, or who waits outside of one without.
 *
 * Invariants
 *   - No call but a clerk's (sandbox/desk.h) is ever answered: it does not
 *     run, and does not return either, unless a signal comes first, and then
 *     it fails with EINTR or is made anew.
 *   - Who blocks, ignores or handles SIGSYS is ended by SIGKILL, at the latest
 *     NOTIFY_GRACE after the call.
 *   - Nothing here waits for what a sandbox does, and nothing of its memory
 *     is read.
 *   - If the listener is closed, the calls fail with ENOSYS.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct denials;
struct desk;
struct loop;

#define NOTIFY_GRACE 1000 /* ms that SIGSYS may take to end a process */
#define NOTIFY_ENDINGS 16 /* processes that may take it at once */

struct notify_ending {
	pid_t pid;
	int pidfd;  /* owned */
	int64_t ms; /* of CLOCK_MONOTONIC, when its grace is over */
};

struct notify {
	int fd;                  /* owned; -1 when closed */
	struct loop *loop;       /* borrowed */
	struct denials *denials; /* borrowed */
	const struct desk *desk; /* borrowed; NULL: nobody else is served */
	struct notify_ending endings[NOTIFY_ENDINGS];
	size_t ending_count;
};

#define NOTIFY_CLOSED ((struct notify){ .fd = -1 })
#define autonotify __attribute__((cleanup(notify_close)))

/*
 * notify_open - from now on @loop serves the listener @owned_fd
 *
 * What is refused is put into @denials.  @notify stays where it is until
 * notify_close().
 */
void notify_open(struct notify *notify, int owned_fd, struct loop *loop,
		 struct denials *denials);

/* notify_close - serve it no longer; fine on what is closed */
void notify_close(struct notify *notify);

#endif /* CHOCK_SANDBOX_NOTIFY_H */
