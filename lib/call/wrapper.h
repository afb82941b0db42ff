/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_WRAPPER_H
#define CHOCK_CALL_WRAPPER_H

/*
 * wrapper - the programs that run what their arguments say
 *
 * Each with all of its options, since what is taken for an option's argument
 * is not taken for the program that is run.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shell/shell.h"

/* How the program that it runs is found among its arguments. */
enum wrapper_form {
	WRAPS_WORDS,   /* behind the options and operands */
	WRAPS_EITHER,  /* the same, or one word further on */
	WRAPS_ENV,     /* assignments come first */
	WRAPS_INPUT,   /* xargs: words are added */
	WRAPS_STRING,  /* the words are joined to a shell's string */
	WRAPS_LOCK,    /* flock: words, or -c STRING */
	WRAPS_SCRIPT,  /* script: -c STRING, or a shell */
	WRAPS_LOOKUP,  /* command: -v only looks */
	WRAPS_SHELL,   /* sh: -c STRING, or a file */
	WRAPS_FINDER,  /* find: -exec WORDS ; */
	WRAPS_GIT,     /* git: some of its own commands do */
	WRAPS_NOTHING, /* it runs others, but none that its words name */
	WRAPS_UNKNOWN, /* none of its options are known here */
};

struct wrapper {
	const char *names; /* with blanks between, as all lists here */
	enum wrapper_form form;
	unsigned int operands;   /* before what it runs */
	const char *flags;       /* letters without an argument */
	const char *valued;      /* letters with one */
	const char *attached;    /* letters with one only if it is attached */
	const char *long_flags;  /* NAME or NAME=LETTER */
	const char *long_valued; /* the same */
	const char *beyond; /* why what it runs is not only that, or NULL */
};

#define OPTION_LETTERS 128

/* What the options of one call of a wrapper say. */
struct wrapped {
	bool flag[OPTION_LETTERS];
	struct shell_word value[OPTION_LETTERS]; /* data is NULL: not said */
	size_t next;       /* the first word that is no option's */
	bool unsure;       /* an option was not known */
	struct span wrong; /* the first one */
};

/* wrapper_find - the one that is called @name, or NULL */
const struct wrapper *wrapper_find(struct span name);

/* wrapper_options - read the options at the start of @words, words[0] being
 * the wrapper itself */
void wrapper_options(struct wrapped *wrapped, const struct wrapper *wrapper,
		     const struct shell_word *words, size_t count);

/* listed - whether @word is one of @list, which has blanks between */
bool listed(const char *list, struct span word);

/* listed_begin - whether one of @list begins with @word, which is not empty */
bool listed_begin(const char *list, struct span word);

#endif /* CHOCK_CALL_WRAPPER_H */
