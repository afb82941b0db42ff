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
 * Returns its process id, or -errno with the reason in @outcome.
 */
pid_t command_start(const struct sandbox *sandbox,
		    const struct landlock *landlock, struct outcome *outcome);

#endif /* CHOCK_SANDBOX_COMMAND_H */
