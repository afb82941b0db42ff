/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_WORKDIR_H
#define CHOCK_SANDBOX_WORKDIR_H

/*
 * workdir - the name that the command's working directory has inside
 *
 * A directory that was entered by way of a symbolic link is called by that
 * way in a shell (pwd(1), PWD), and by its physical path in the kernel
 * (getcwd(2)).  The command is told the first where it is still true.
 */

struct outcome;
struct sandbox;

/*
 * workdir_env - the environment of the command, with PWD for where it starts
 *
 * The caller stands there.  A PWD that somebody asked for stays as it is.
 * Returns what lives as long as the program.
 */
const char *const *workdir_env(const struct sandbox *sandbox,
			       const struct outcome *outcome);

#endif /* CHOCK_SANDBOX_WORKDIR_H */
