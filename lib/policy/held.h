/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_HELD_H
#define CHOCK_POLICY_HELD_H

/*
 * held - which program of this version holds a statement, and which none does
 *
 * The language of policies has statements, and words in them, that nothing in
 * this version acts on.  They are read like all others, and the policy notes
 * them: who only judges says so, and who enforces refuses, in every layer, for
 * whoever wrote such a statement would rely on it.
 *
 * Invariants
 *   - A keyword that the table does not name is held by nobody.
 *   - Which keys of `limit` there are is for spec/limits to say.
 */

#include "policy/policy.h"

struct buf;
struct words;
struct why;

enum holder {
	HOLDER_NONE,
	HOLDER_SPAWN, /* chock-spawn builds it into the sandbox */
	HOLDER_RUN,   /* chock run does so by itself */
	HOLDER_EVAL,  /* chock-policy-eval answers by it */
	HOLDER_ALL,   /* every program that reads policies */
};

/* held_by - who holds @keyword */
enum holder held_by(enum policy_keyword keyword);

/*
 * held_check - whether this version holds the line of @words
 *
 * The line is a form of @keyword.  What is not held of it is put behind @what,
 * as somebody would call it, and @why says it with its place.
 *
 * Returns 0 or -EINVAL.
 */
int held_check(enum policy_keyword keyword, const struct words *words,
	       struct buf *what, struct why *why);

/*
 * held_refuse - refuse @policy for the first thing in it that nobody holds
 *
 * For who enforces.  Returns 0, or -EINVAL with "FILE:LINE:COLUMN: ...".
 */
int held_refuse(const struct policy *policy, struct why *why);

#endif /* CHOCK_POLICY_HELD_H */
