/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_COMMAND_H
#define CHOCK_POLICY_COMMAND_H

/*
 * command - the action that running a program comes to
 */

#include <stdbool.h>

#include "base/span.h"

struct buf;

/*
 * command_action - the exec.* action of running @program, put behind @action
 *
 * @directory is where it runs, NULL for the project.  @projects are the names
 * that the project's directory has, up to a NULL.  What cannot be told from
 * the words alone is exec.unparsed.
 */
void command_action(struct buf *action, const char *program,
		    const char *directory, const char *const *projects);

/*
 * command_runs_others - whether @program is one that runs what its arguments
 * say, so that its own name is not all that is run
 */
bool command_runs_others(const char *program);

#endif /* CHOCK_POLICY_COMMAND_H */
