/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_EXITCODE_H
#define CHOCK_BASE_EXITCODE_H

/*
 * exitcode - what a program's exit status means, in every program of chock
 *
 * Only 0 permits.  The manual is chock-exit(7); the numbers 100 and 111 are
 * those of the s6 and daemontools programs, and 124 to 127 those of
 * timeout(1) and sh(1).
 */

enum {
	EXIT_ALLOW = 0,    /* done, or: yes */
	EXIT_DENY = 1,     /* answered: no */
	EXIT_CANNOT = 2,   /* chock-doctor: a first run cannot work here */
	EXIT_BLOCK = 2,    /* a harness's hook: what failed must not let run */
	EXIT_ASK = 3,      /* answered: a person must decide */
	EXIT_CHANGED = 3,  /* chock trust: other than what was trusted */
	EXIT_MISUSE = 100, /* wrong call or input; the same again fails again */
	EXIT_SYSTEM = 111, /* the system failed; trying again may help */

	/* chock-spawn and chock run, which hand the command's status through */
	EXIT_TIMED_OUT = 124, /* the time that was set ran out */
	EXIT_SETUP = 125,     /* the sandbox could not be set up */
	EXIT_NOT_EXEC = 126,  /* the command could not be executed */
	EXIT_NOT_FOUND = 127, /* the command was not found */
	EXIT_SIGNAL = 128,    /* plus the number of the signal it died of */
};

#endif /* CHOCK_BASE_EXITCODE_H */
