/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_CASES_H
#define CHOCK_CALL_CASES_H

/*
 * cases - a table of questions and the answers that a policy must give
 *
 *	# a comment
 *	git.push agent=reviewer  ->  deny  ./project.policy:7
 *
 * One question a line; behind the arrow the decision and, where it matters,
 * the rule as answers name it, or the word of a layer for any rule of it.
 */

#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"
#include "policy/policy.h"

struct why;

struct cases {
	size_t asked;
	size_t wrong;
	struct buf lines; /* one about each wrong answer */
};

/*
 * cases_run - ask all that is in @table, which messages call @file
 *
 * Returns 0, or -EINVAL with "FILE:LINE:COLUMN: ..." for what is no table.
 */
int cases_run(struct cases *cases, const struct policy *policy,
	      const char *file, struct span table, struct why *why);

/* cases_drop - release it; good as new afterwards */
void cases_drop(struct cases *cases);

#endif /* CHOCK_CALL_CASES_H */
