/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_WORDS_H
#define CHOCK_POLICY_WORDS_H

/*
 * words - a policy file as lines of words, each with its place
 *
 * A statement is one line; words are split at blanks; `#` starts a comment
 * where a word could start; "..." with \" and \\ is a word with blanks in it.
 * What an editor or a reader could take for something else is refused: a
 * byte order mark, carriage returns, control characters, invalid UTF-8, a
 * last line without its newline, a quote or a `#` in the middle of a word.
 *
 * Invariants
 *   - Columns are counted in bytes, from 1.
 *   - The words of a line live as long as the memory that was named.
 */

#include <stddef.h>

#include "base/span.h"

struct policy_origin;
struct why;

#define WORDS_MAX 256                     /* of one line */
#define WORDS_LINE_MAX ((size_t)16 << 10) /* bytes of one line */

struct words {
	const char *file;                /* borrowed; what messages call it */
	struct span rest;                /* borrowed; not read yet */
	void **memory;                   /* borrowed; where the words go */
	const char *home;                /* borrowed; "~", or NULL */
	const char *project;             /* borrowed; "@project@", or NULL */
	unsigned int line;               /* of the words below */
	size_t count;                    /* of the words below */
	const char *word[WORDS_MAX + 1]; /* NULL behind the last */
	unsigned int column[WORDS_MAX + 1];
};

/*
 * words_open - make ready to read @bytes, which messages call @file
 *
 * Both are borrowed.  Returns 0, or -EINVAL for bytes that are no text.
 */
int words_open(struct words *words, const char *file, struct span bytes,
	       void **memory, struct why *why);

/*
 * words_next - the next line that has words
 *
 * Returns 1, 0 at the end, or -EINVAL.
 */
int words_next(struct words *words, struct why *why);

/* words_origin - where word @index of the line stands */
struct policy_origin words_origin(const struct words *words, size_t index);

/*
 * words_wrong - say what is wrong with word @index of the line
 *
 * @index may be that of the word behind the last.  Returns -EINVAL.
 */
int words_wrong(const struct words *words, size_t index, struct why *why,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Words of which one was wanted, and what they are. */
struct choice {
	const char *what;
	const char *const *words;
	size_t count;
};

/*
 * words_unknown - like words_wrong(), for a word that is none of @known
 *
 * Says that it is none, and which of them is the nearest.
 */
int words_unknown(const struct words *words, size_t index,
		  const struct choice *known, struct why *why);

#endif /* CHOCK_POLICY_WORDS_H */
