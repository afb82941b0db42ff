/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_OUTSIDE_H
#define CHOCK_SANDBOX_OUTSIDE_H

/*
 * outside - what every driver does in the process that was asked for a sandbox
 *
 * It looks at what the command inherits, starts the sandbox's first process
 * (sandbox/init.h), with which it shares the page of the outcome, and watches
 * over it until it ends.
 */

#include <sys/types.h>

struct init;
struct outcome;
struct sandbox;
struct why;

struct outside {
	const struct init_kind *kind;

	/* start - clone the process that runs init_main(); its id or -errno */
	pid_t (*start)(struct init *init, struct why *why);
};

/*
 * outside_run - build @sandbox, run its command, and wait for the end
 *
 * What became of it is in @outcome, and so is why it did not begin.
 */
void outside_run(const struct outside *outside, const struct sandbox *sandbox,
		 struct outcome *outcome);

/*
 * outside_clone - run init_main() for @init in a new process, in its cgroup
 *
 * Where the layer "cgroup" failed, @init's outcome says so.
 * @flags are of clone(2).  Returns its id, or -1 with errno set.
 */
pid_t outside_clone(struct init *init, unsigned int flags);

#endif /* CHOCK_SANDBOX_OUTSIDE_H */
