/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_NEAREST_H
#define CHOCK_BASE_NEAREST_H

/*
 * nearest - the word that was probably meant
 *
 * Distance is that of Damerau and Levenshtein in its "optimal string
 * alignment" form: insertions, deletions, substitutions, and swaps of
 * neighbours, each counted as one.
 */

#include <stddef.h>

#include "base/span.h"

#define NEAREST_LEN_MAX 64 /* bytes; longer words are like no other */
#define NEAREST_ROOM 128   /* bytes; a clause about a word, and its NUL */

/*
 * nearest_distance - how many edits turn @a into @b
 *
 * Returns NEAREST_LEN_MAX where one of them is too long to be compared.
 */
size_t nearest_distance(struct span a, struct span b);

/*
 * nearest_word - the one of @count strings at @words that is most like @word
 *
 * Returns it, or NULL if none is within a third of @word's length (and at
 * least one edit).  Of words equally near it is the first.
 */
const char *nearest_word(struct span word, const char *const *words,
			 size_t count);

/*
 * nearest_clause - what a message that @word is unknown ends with
 *
 * Puts "; did you mean 'NEAREST'?" into @clause, or "" where no word is near.
 * Returns @clause.
 */
const char *nearest_clause(char clause[NEAREST_ROOM], struct span word,
			   const char *const *words, size_t count);

#endif /* CHOCK_BASE_NEAREST_H */
