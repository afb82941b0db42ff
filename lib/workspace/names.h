/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_NAMES_H
#define CHOCK_WORKSPACE_NAMES_H

/*
 * names - a list of paths, references or other strings of bytes
 *
 * Invariants
 *   - An all-zero struct is an empty list.
 *   - Every item is terminated and holds no NUL.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct buf;

#define autonames __attribute__((cleanup(names_drop)))

struct names {
	char **items; /* owned, as is each item */
	size_t count;
};

/* names_add - put a copy of @bytes at the end */
void names_add(struct names *names, struct span bytes);

/*
 * names_split - put the pieces of @bytes at the end, cut at each @separator
 *
 * What is behind the last separator counts as a piece if it is not empty.
 */
void names_split(struct names *names, struct span bytes, char separator);

/* names_words - put a copy of each of @words, a NULL at their end, behind */
void names_words(struct names *names, const char *const *words);

/* names_join - put all of it behind @bytes, with @separator behind each */
void names_join(const struct names *names, struct buf *bytes, char separator);

/*
 * names_argv - as the words of a command, a NULL at their end
 *
 * They live as long as the list, and until it is added to.
 */
const char *const *names_argv(struct names *names);

/* names_tidy - sort by bytes, and keep one of each */
void names_tidy(struct names *names);

/* names_has - whether @name is in a list that names_tidy() left as it is */
bool names_has(const struct names *names, const char *name);

/* names_drop - release all of it; good as new afterwards */
void names_drop(struct names *names);

#endif /* CHOCK_WORKSPACE_NAMES_H */
