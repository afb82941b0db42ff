/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_GITCOMMAND_H
#define CHOCK_CALL_GITCOMMAND_H

/*
 * gitcommand - the git.* actions that a command line of git comes to
 *
 * git COMMAND is git.COMMAND, beside the program's own action.  A command that
 * git does not have, which may be an alias, is git.unknown as well.
 *
 * Invariants
 *   - Whatever is written where a command can stand comes to its action, so
 *     that a rule that denies it holds, whatever else is not understood.
 *   - Where git may run another program there is exec.unparsed too.
 */

#include <stddef.h>

struct running;
struct shell_word;
struct wrapper;

/* gitcommand_run - ask for what git does; words[0] is git itself, and @git has
 * its options */
void gitcommand_run(const struct running *run, const struct wrapper *git,
		    const struct shell_word *words, size_t count);

/* gitcommand_dashed - the same for words[0] that is a program git-COMMAND of
 * git's, and nothing for any other program */
void gitcommand_dashed(const struct running *run,
		       const struct shell_word *words, size_t count);

#endif /* CHOCK_CALL_GITCOMMAND_H */
