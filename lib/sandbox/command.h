/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_COMMAND_H
#define CHOCK_SANDBOX_COMMAND_H

/*
 * command - the program that a sandbox is for, from clone to exec
 *
 * It is started by a process that has given up everything already and takes
 * on what must hold the command alone: Landlock, seccomp and its limits.
 */

#include <sys/types.h>

struct landlock;
struct outcome;
struct sandbox;

/*
 * command_start - start it; returns when it was executed, or could not be
 *
 * @listener_fd is the caller's afterwards: what is told of calls that kill
 * (sandbox/notify.h), or -1 where they have no names, for which @outcome has
 * the reason.  Until it is executed the command has the caller's table of
 * descriptors, not a copy: all but 0 to 2 are close-on-exec from then on.
 *
 * Returns its process id, or -errno with the reason in @outcome.
 */
pid_t command_start(const struct sandbox *sandbox,
		    const struct landlock *landlock, struct outcome *outcome,
		    int *listener_fd);

#endif /* CHOCK_SANDBOX_COMMAND_H */
