/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TTY_MODES_H
#define CHOCK_TTY_MODES_H

/*
 * modes - the settings of the caller's terminal, put back whatever happens
 *
 * While a sandbox has a terminal of its own, the caller's hands over each
 * byte as it is.  Should chock-spawn end without having put back what was
 * there, also by SIGKILL, a guardian does: a process of its own that waits for
 * just that.
 *
 * Invariants
 *   - The terminal is opened anew, so that nobody who shares the caller's
 *     descriptors finds theirs changed.
 *   - Settings that somebody else has changed since are left alone by the
 *     guardian.
 */

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct why;

struct modes {
	int fd;          /* owned; the caller's terminal, -1 without one */
	int guardian_fd; /* owned; the guardian acts at its end */
	pid_t guardian;
	bool changed; /* ours are in force */
	struct termios before, ours;
};

#define MODES_CLOSED ((struct modes){ .fd = -1, .guardian_fd = -1 })

/*
 * modes_find - open the terminal that the standard descriptors stand for
 *
 * Each of the three that is a terminal has to be the same one.  Returns a
 * descriptor that is the caller's and never waits, -ENOTTY if there is no
 * terminal, -EINVAL if there are two, or another -errno.
 */
int modes_find(struct why *why);

/*
 * modes_in_front - whether the terminal is ours to read and to change
 *
 * Also if it is not the one that controls us, for then nobody keeps it.
 */
bool modes_in_front(const struct modes *modes);

/* modes_change - put ours in force; only in front; 0 or -errno */
int modes_change(struct modes *modes);

/* modes_restore - put back what was there; fine if nothing was changed */
void modes_restore(struct modes *modes);

/* modes_close - that, and let go of the terminal and of the guardian */
void modes_close(struct modes *modes);

#endif /* CHOCK_TTY_MODES_H */
