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

#include <stdint.h>
#include <sys/types.h>

struct outcome;
struct sandbox;

struct init {
	const struct sandbox *sandbox;
	struct outcome *outcome; /* in memory that is shared with outside */
	uint32_t namespaces;     /* CLONE_NEW* that it was born into */
	uid_t uid;               /* of outside, where they still have a name */
	gid_t gid;
	int alive[2]; /* a pipe; outside holds the writing end */
};

/* init_main - all of it; @arg is a struct init; returns an exit status */
int init_main(void *arg);

#endif /* CHOCK_SANDBOX_INIT_H */
