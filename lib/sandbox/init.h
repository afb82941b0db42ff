/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_INIT_H
#define CHOCK_SANDBOX_INIT_H

/*
 * init - process 1 of a sandbox: builds it from inside, starts the command,
 * and buries what it leaves
 *
 * It stands inside, and is trusted with nothing that is outside.  What is
 * inside can neither read it nor signal it, and its end is the end of
 * everything in the sandbox.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tree/stay.h"
#include "tty/pty.h"

struct caps;
struct init;
struct landlock;
struct outcome;
struct pipes;
struct roots;
struct sandbox;
struct why;

/* What differs from driver to driver. */
struct init_kind {
	/*
	 * build - make what the sandbox is about, and be in it
	 *
	 * The ruleset for the command is left open in @landlock.  Returns 0 or
	 * -errno with the layer's name in @why.
	 */
	int (*build)(struct init *init, struct landlock *landlock,
		     struct why *why);

	/* end - see to it that nothing is left; also where build() failed */
	void (*end)(const struct init *init);

	/* Its /proc and its files in memory are the sandbox's and no other's,
	 * so that it can count (limit/accounting.h). */
	bool counts;

	/* Its root is a tmpfs whose size is the limit scratch. */
	bool in_memory;

	/* By which outside ends everything, and which comes when it is gone. */
	int end_signal;
};

struct init {
	const struct init_kind *kind;
	struct caps *caps; /* outside's */
	const struct sandbox *sandbox;
	struct outcome *outcome; /* in memory that is shared with outside */
	uint32_t namespaces;     /* CLONE_NEW* that it was born into */
	uid_t uid;               /* of outside, where they still have a name */
	gid_t gid;
	struct pty pty; /* its control_fd is set with a terminal of its own */
	struct pipes *pipes; /* borrowed; NULL: no standard one is relayed */
	struct roots *roots; /* borrowed; of a clerk; NULL: it needs none */
	struct stay stay;    /* what must stay in the tree */
	void *own;           /* borrowed; the driver's */
	pid_t outside;       /* as it is called inside; 0: it has no id there */
	int alive[2];        /* a socket: signals from outside, and its end */
};

/* init_main - all of it; @arg is a struct init; returns an exit status */
int init_main(void *arg);

#endif /* CHOCK_SANDBOX_INIT_H */
