/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_RUNNING_H
#define CHOCK_CALL_RUNNING_H

/*
 * running - from what is run to the actions that it comes to
 *
 * A program comes to its exec.* action; one that runs others comes to theirs
 * as well, as deep as RUNNING_DEPTH_MAX.  What cannot be proven to be all that
 * is run adds exec.unparsed, with a note that says what it was.
 *
 * Invariants
 *   - What is written as a program's name comes to an action, so that a rule
 *     that denies it holds, whatever else is not understood.
 *   - Time and stack are bounded by the length of the words and by the depth.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shell/shell.h"

struct call;

#define RUNNING_DEPTH_MAX 32 /* wrappers and strings within each other */

struct running {
	struct call *call;           /* borrowed; gets the questions */
	const char *const *projects; /* borrowed; as in command.h */
	const char *directory;       /* borrowed; NULL is the project */
	bool adrift;                 /* directory may be another one */
	bool asked;                  /* for each of the words already */
	unsigned int depth;
};

/* running_unparsed - ask for exec.unparsed, and note why */
void running_unparsed(const struct running *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* running_switch - like running_unparsed(), for an @option of @name that can
 * run programs */
void running_switch(const struct running *run, struct span name,
		    struct span option);

/* running_name - ask for the program @name alone */
void running_name(const struct running *run, struct span name);

/* running_words - ask for the program words[0] and for what it runs */
void running_words(const struct running *run, const struct shell_word *words,
		   size_t count);

/*
 * running_any - ask for each of @words, any of which may be run
 *
 * As a program, or as a shell's string if it can only be that.
 */
void running_any(const struct running *run, const struct shell_word *words,
		 size_t count);

/* running_string - ask for what a shell runs for @text */
void running_string(const struct running *run, struct span text);

/* running_variable - ask for what @value in the variable @name can change */
void running_variable(const struct running *run, struct span name,
		      const struct shell_word *value);

/* running_file - ask for reading or writing the file @target, if that is
 * outside of the project */
void running_file(const struct running *run, const struct shell_word *target,
		  bool writes);

/* running_builtin - ask for what a shell's own command can do */
void running_builtin(const struct running *run, const struct shell_word *words,
		     size_t count);

/* running_switches - ask for what options of programs that are no wrappers
 * make them run */
void running_switches(const struct running *run, struct span name,
		      const struct shell_word *words, size_t count);

/* running_script - ask for what the program of an awk or a sed can run */
void running_script(const struct running *run, struct span name,
		    const struct shell_word *words, size_t count);

/* running_input - whether @file may be what a program reads anyway */
bool running_input(struct span file);

/*
 * running_option - whether @word may expand to an option, or to several words
 */
bool running_option(const struct shell_word *word);

/* running_written - ask for exec.unparsed if one of @words, which say what is
 * run, is not written out */
void running_written(const struct running *run, const struct shell_word *words,
		     size_t count);

struct wrapper;

/* running_wrapped - ask for what @wrapper runs */
void running_wrapped(const struct running *run, const struct wrapper *wrapper,
		     const struct shell_word *words, size_t count);

/* running_find, running_shell - the two that are no mere wrappers */
void running_find(const struct running *run, const struct shell_word *words,
		  size_t count);
void running_shell(const struct running *run, const struct wrapper *shell,
		   const struct shell_word *words, size_t count);

/* running_joined - what a shell runs for @words with blanks between */
void running_joined(const struct running *run, const struct shell_word *words,
		    size_t count);

#endif /* CHOCK_CALL_RUNNING_H */
