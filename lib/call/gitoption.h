/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_GITOPTION_H
#define CHOCK_CALL_GITOPTION_H

/*
 * gitoption - the options that make more of a command of git
 *
 * Some have git run a program, some take away what cannot be had again.
 *
 * Invariants
 *   - An option counts by every beginning that git takes for it, and a letter
 *     also among others behind one dash.
 *   - A word that may expand to an option counts as each of them.
 */

#include <stdbool.h>

#include "shell/shell.h"

struct running;

/* What is taken away, as git.COMMAND.delete and git.COMMAND.force. */
struct gitoption_marks {
	bool deletes;
	bool forces;
};

/* gitoption_possible - whether @word may be an option once it is expanded */
bool gitoption_possible(const struct shell_word *word);

/* gitoption_setting - ask for what the setting NAME=VALUE has git run */
void gitoption_setting(const struct running *run, struct span setting);

/*
 * gitoption_check - ask for what the words of git's @command make it run
 *
 * @own: it is a command of git's, and not one that any option may be of.
 * Returns what else they say.
 */
struct gitoption_marks gitoption_check(const struct running *run,
				       struct span command, bool own,
				       const struct shell_word *words,
				       size_t count);

#endif /* CHOCK_CALL_GITOPTION_H */
