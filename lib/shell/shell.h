/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SHELL_SHELL_H
#define CHOCK_SHELL_SHELL_H

/*
 * shell - the simple commands that a string for a shell comes to
 *
 * The string is read and never run, and nothing in it is expanded.  What is
 * found is every simple command that a shell could run for it, those in
 * bodies and substitutions too, each with its words, its assignments and its
 * redirections.  Where that is not all, or where shells read the string in
 * different ways, there is a gap: its place and its reason.
 *
 * Which of two readings is right does not matter to a gap, but no reading may
 * be lost to who looks for a command.  So the text behind a place in doubt is
 * taken apart a second time, roughly, and the commands of that reading are
 * added.
 *
 * Invariants
 *   - An all-zero struct is an empty list.
 *   - Without a gap, commands has all that sh, bash, dash and zsh would run,
 *     as far as words[0] of each is known.
 *   - The time it takes is linear in the length of the string, times
 *     SHELL_DEPTH_MAX for backquotes within backquotes.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define SHELL_BYTES_MAX ((size_t)1 << 20) /* of a string; the rest is a gap */
#define SHELL_DEPTH_MAX 64                /* of substitutions and subshells */
#define SHELL_COMMANDS_MAX 4096           /* of a string */
#define SHELL_GAPS_MAX 32                 /* kept; all are counted */
#define SHELL_HEREDOCS_MAX 16             /* that begin on one line */

#define autoshell __attribute__((cleanup(shell_drop)))

struct shell_word {
	struct span text; /* without quotes; expansions as they are written */
	size_t at;        /* the byte where it begins */
	bool known;       /* nothing in it is expanded: text is all of it */
	bool quoted;      /* some of it */
	bool split;       /* it may become several words, or none */
};

struct shell_assign {
	struct span name;
	struct shell_word value;
};

/* What becomes of a redirection's target. */
enum shell_flow {
	SHELL_READS,
	SHELL_WRITES,
	SHELL_UPDATES,    /* <>: both */
	SHELL_DUPLICATES, /* >&2, <&-: no file */
	SHELL_FEEDS,      /* <<, <<<: text of the string itself */
};

struct shell_redirect {
	enum shell_flow flow;
	bool input; /* standard input is what it changes */
	struct shell_word target;
};

/* What stands between a command and the one before it. */
enum shell_join {
	SHELL_AFTER, /* ; & or a newline, or nothing: it is the first */
	SHELL_AND,
	SHELL_OR,
	SHELL_PIPE,
};

struct shell_command {
	struct shell_word *words; /* owned */
	size_t word_count;
	struct shell_assign *assigns; /* owned */
	size_t assign_count;
	struct shell_redirect *redirects; /* owned */
	size_t redirect_count;
	enum shell_join join;
	size_t at;
	bool nested; /* in a body, a subshell or a pipeline, or negated */
};

struct shell_gap {
	size_t at;
	const char *reason; /* static */
};

struct shell {
	struct shell_command *commands; /* owned */
	size_t count;
	struct shell_gap gaps[SHELL_GAPS_MAX];
	size_t gap_count; /* may be more than were kept */
	void *memory;     /* owned; what the words point into */
};

/*
 * shell_read - read @text, which may be any bytes, into the empty @shell
 *
 * @text need not outlive the call.
 */
void shell_read(struct shell *shell, struct span text);

/* shell_drop - release it; good as new afterwards */
void shell_drop(struct shell *shell);

#endif /* CHOCK_SHELL_SHELL_H */
