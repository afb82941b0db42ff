/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_HELD_H
#define CHOCK_POLICY_HELD_H

/*
 * held - which program of this version holds a statement, and which none does
 *
 * The language of policies has statements, and words in them, that nothing in
 * this version acts on.  A policy that says one of them is refused, by every
 * program and in every layer: who wrote it would rely on it.
 *
 * Invariants
 *   - A keyword that the table does not name is held by nobody.
 *   - Which keys of `limit` can be held is for sandbox/limits to say.
 */

#include <stdbool.h>

#include "policy/policy.h"

struct words;
struct why;

enum holder {
	HOLDER_NONE,
	HOLDER_SPAWN, /* chock-spawn builds it into the sandbox */
	HOLDER_RUN,   /* chock run does so by itself */
};

/* held_by - who holds @keyword */
enum holder held_by(enum policy_keyword keyword);

/*
 * held_hide - whether @pattern is one that can be hidden
 *
 * That is a path, or all of a directory, DIR/ and two stars behind.
 */
bool held_hide(const char *pattern);

/*
 * held_check - whether this version holds the line of @words
 *
 * The line is a form of @keyword.  Returns 0 or -EINVAL.
 */
int held_check(enum policy_keyword keyword, const struct words *words,
	       struct why *why);

#endif /* CHOCK_POLICY_HELD_H */
