/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TTY_RELAY_H
#define CHOCK_TTY_RELAY_H

/*
 * relay - what passes between the caller's terminal and the sandbox's own
 *
 * Bytes go both ways as they are; size, stops, and the end of the terminal go
 * in, and a command that stops has us stop, so that whoever started us sees
 * a job like any other.  Nothing waits for the terminal, which may take no
 * output for hours, and nothing for the command, which may read nothing.
 *
 * Invariants
 *   - The caller's terminal has settings of ours only while we are in front
 *     of it, the command is, and both run.
 *   - Of what is read from one side nothing is dropped while the other side
 *     is there.
 */

#include <stdbool.h>

#include "spec/sandbox.h"
#include "tty/flow.h"
#include "tty/modes.h"

struct loop;
struct why;

#define RELAY_SETTLE 200 /* ms that the last bytes have, see relay_finish() */

struct relay {
	struct loop *loop;    /* borrowed */
	struct modes modes;   /* of the caller's terminal */
	int control_fd;       /* owned; a socket to process 1, see pty.h */
	int master_fd;        /* owned; -1 until it came, and when it is over */
	enum sandbox_tty tty; /* how the command begins */
	struct flow keys, screen;
	bool front;  /* keys are read */
	bool ending; /* nobody is left inside */
	bool hung_up;
	int stopped_by; /* signal; 0: the command runs */
};

#define RELAY_CLOSED     \
	((struct relay){ \
		.modes = MODES_CLOSED, .control_fd = -1, .master_fd = -1 })

#define autorelay __attribute__((cleanup(relay_free)))

/*
 * relay_open - relay @owned_fd, of modes_find(), in @loop
 *
 * Returns process 1's end of the socket, which is the caller's, or -errno.
 */
int relay_open(struct relay *relay, struct loop *loop, int owned_fd,
	       enum sandbox_tty tty, struct why *why);

/*
 * relay_signal - do what @signal asks of a terminal
 *
 * That is SIGTSTP, SIGCONT or SIGWINCH; for others it returns false.
 */
bool relay_signal(struct relay *relay, int signal);

/*
 * relay_finish - the sandbox has ended: end the loop once all that was written
 * in it is on the caller's terminal
 *
 * Where somebody outside still holds the sandbox's terminal, that is when
 * nothing has come for RELAY_SETTLE.
 */
void relay_finish(struct relay *relay);

/* relay_close - put the caller's terminal back, and let go of everything */
void relay_close(struct relay *relay);

/*
 * relay_free - close and free the relay that @slot points to, if any
 *
 * It has room for bytes both ways, which is much to clear and to copy with
 * the process for who has no terminal: it is made where there is one.
 */
void relay_free(struct relay *const *slot);

#endif /* CHOCK_TTY_RELAY_H */
