/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TTY_PTY_H
#define CHOCK_TTY_PTY_H

/*
 * pty - the terminal that a sandbox has of its own, seen from inside
 *
 * Process 1 makes it, leads the session that it controls, and hands its far
 * end out, where tty/relay.h is.  What only a member of the session can do
 * it does on orders from there, and it says there when the command stops.
 *
 * Invariants
 *   - No descriptor of the caller's terminal is left once pty_open() returned.
 *   - While chock-spawn is not in front of its terminal, process 1 is in front
 *     of this one, so that whoever inside wants to read or to change it is
 *     stopped, as it would be outside.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "spec/sandbox.h"

struct why;

enum pty_order {
	PTY_FRONT = 1, /* who was in front is again, and goes on */
	PTY_BACK,      /* nobody of the command is, but it goes on */
	PTY_STOP,      /* everything stops until one of those two */
	PTY_HANGUP,    /* the caller's terminal is gone */
	PTY_KILL,      /* end everything */
};

struct pty {
	int control_fd; /* owned; a socket for base/pass.h; -1: no terminal */
	int slave_fd;   /* owned; -1 until it is there */
	enum sandbox_tty tty;
	pid_t front; /* who is in front when chock-spawn is; 0: the command */
	bool held;   /* everything was stopped */
};

#define PTY_CLOSED ((struct pty){ .control_fd = -1, .slave_fd = -1 })

/*
 * pty_open - make a terminal, and put it where the caller's was
 *
 * @multiplexer is the ptmx of a devpts, looked up from @dir_fd.  The size and
 * the settings are those of the caller's terminal, unless another program has
 * it in a state of its own.  The calling process leads a session and has no
 * terminal.
 *
 * Returns 0 or -errno.
 */
int pty_open(struct pty *pty, int dir_fd, const char *multiplexer,
	     struct why *why);

/*
 * pty_join - give the calling process a group of its own
 *
 * With TTY_FRONT it is in front of its terminal.  For the command, before it
 * is executed.  Returns 0 or -errno.
 */
int pty_join(enum sandbox_tty tty);

/*
 * pty_started - the command was, and is where pty_join() has put it
 *
 * Whoever is told that it is in front, then and after PTY_FRONT, may pass on
 * what is typed: a key that makes a signal is not lost any more.
 */
void pty_started(const struct pty *pty);

/* pty_obey - do what was ordered; false if there will be no more orders */
bool pty_obey(struct pty *pty, pid_t command);

/* pty_stopped - say that @signal has stopped the command */
void pty_stopped(const struct pty *pty, int signal);

#endif /* CHOCK_TTY_PTY_H */
