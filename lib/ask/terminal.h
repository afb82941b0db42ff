/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_ASK_TERMINAL_H
#define CHOCK_ASK_TERMINAL_H

/*
 * terminal - one question to the person at the terminal, one line back
 *
 * The terminal is the one that controls the process, whatever standard input
 * and output are.  While a question stands it hands over each key at once
 * and makes no signals of them, so that Ctrl-C answers the question and does
 * not end the programs around us with the question open.
 *
 * What was typed before the question was on the screen is thrown away.  Where
 * TERM names a terminal that knows sequences, margins, modes and attributes
 * that a program left are taken back first, and what stands below is erased.
 *
 * Invariants
 *   - Between two questions the terminal has the settings that it had.
 *   - Nothing waits for longer than the time that was given, also if the
 *     terminal takes no output.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include "base/span.h"

#define TERMINAL_ANSWER_MAX 16 /* bytes; more are no answer that we know */
#define TERMINAL_COLUMNS 80    /* at most, and where it does not say */

enum reply {
	REPLY_LINE,      /* a line, in answer */
	REPLY_BREAK,     /* Ctrl-C, Ctrl-D or Ctrl-\ */
	REPLY_LATE,      /* the time ran out */
	REPLY_GONE,      /* the terminal closed, or failed */
	REPLY_BACKGROUND /* another program has the terminal */
};

struct terminal {
	int fd;      /* owned, -1 when there is none */
	pid_t group; /* ours, which has to be the one in the foreground */
	size_t columns;
	char answer[TERMINAL_ANSWER_MAX + 1];
};

#define TERMINAL_NONE ((struct terminal){ .fd = -1 })

#define autoterminal __attribute__((cleanup(terminal_close)))

/*
 * terminal_open - the terminal that controls this process
 *
 * Takes SIGTTIN and SIGTTOU out of the way: a terminal that is not ours to
 * use must fail and not stop us.
 *
 * Returns 0, or -errno (-ENXIO if there is none).
 */
int terminal_open(struct terminal *terminal);

/*
 * terminal_ask - show @question, and behind it @prompt, and wait for a line
 *
 * All of that must be over in @seconds; 0 is for ever.  What was typed before
 * the question had been shown does not count.
 */
enum reply terminal_ask(struct terminal *terminal, struct span question,
			struct span prompt, unsigned int seconds);

/*
 * terminal_confirm - open one, ask @question and @prompt, for as long as it
 * takes, and close it
 *
 * Returns 1 for a yes, 0 for anything else, or -errno as terminal_open().
 */
int terminal_confirm(struct span question, struct span prompt);

/*
 * terminal_said_yes - whether the answer is y or yes, in either case
 *
 * Only after REPLY_LINE.
 */
bool terminal_said_yes(const struct terminal *terminal);

/* terminal_say - show @text, if the terminal takes it without waiting */
void terminal_say(struct terminal *terminal, const char *text);

/*
 * terminal_restore - give the terminal the settings back that it had
 *
 * For handlers of signals: does nothing if no question stands.
 */
void terminal_restore(void);

/* terminal_close - let go of it; fine if there is none */
void terminal_close(struct terminal *terminal);

#endif /* CHOCK_ASK_TERMINAL_H */
