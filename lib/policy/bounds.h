/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_BOUNDS_H
#define CHOCK_POLICY_BOUNDS_H

/*
 * bounds - what statements bind other statements, and until when a file counts
 *
 * In a ceiling `net`, `limit`, `subagents`, `budget` and `driver` bind what
 * the layers ask for: the narrower holds.  So does a `limit` of the person's
 * own policy what a project's asks for.  Who asks for more is told both; a
 * budget above its ceiling is refused, for what was spent cannot be had back.
 *
 * Invariants
 *   - Only what can be compared is: a part of the machine (50%) with a part,
 *     a number with a number.  What cannot is for who holds it to narrow.
 *   - A ceiling's `sink` adds one and is compared with nothing.
 */

#include "policy/held.h"
#include "policy/policy.h"

struct buf;
struct why;

/*
 * bounds_check - whether @policy can be gone by today
 *
 * @today is YYYY-MM-DD.  @holder is who asks, and told of what it holds;
 * HOLDER_ALL is told of everything.  What is to be said is put behind @lines,
 * each with its place in front and a newline behind: what is above a bound,
 * and the ceilings that expired and bind nevertheless.
 *
 * Returns 0, or -EINVAL with the place for a policy that expired and is no
 * ceiling, and for a budget above a ceiling's.
 */
int bounds_check(const struct policy *policy, const char *today,
		 enum holder holder, struct buf *lines, struct why *why);

#endif /* CHOCK_POLICY_BOUNDS_H */
