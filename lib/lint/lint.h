/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LINT_LINT_H
#define CHOCK_LINT_LINT_H

/*
 * lint - what a policy says that its author can hardly have meant
 *
 * A policy that can be read may still hold rules that never answer, or that
 * answer for more than they seem to.  chock-policy-eval(1) lists the findings.
 * Nothing here changes an answer.
 *
 * Invariants
 *   - A finding is certain: where rules are too many or too long to compare,
 *     none is made, and one that says so is.
 *   - Findings are in the order of file, line, column and name.
 *   - What chock ships is not held against who includes it: its rules may
 *     name what is reserved, and may be overruled.
 */

#include <stddef.h>

#include "policy/policy.h"

struct buf;
struct suffixes;

#define LINT_COMPARED_MAX ((size_t)20 << 20) /* pairs of rules */

enum lint_kind {
	LINT_NEVER_WINS,
	LINT_SAME_ANSWER,
	LINT_OVERRULED,
	LINT_CEILING,
	LINT_ANCESTOR,
	LINT_CEILING_ALLOWS,
	LINT_NEVER_CARRIED,
	LINT_NEVER_MATCHES,
	LINT_RESERVED,
	LINT_PUBLIC_SUFFIX,
	LINT_ALLOWS_ALL,
	LINT_ALLOWS_UNPARSED,
	LINT_ALLOWS_WIDENING,
	LINT_GRANTS_ALL,
	LINT_HIDDEN,
	LINT_UNHELD,
	LINT_UNFINISHED,
	LINT_KINDS
};

struct lint_finding {
	enum lint_kind kind;
	struct policy_origin origin; /* the policy's */
	const char *text;            /* printable; the lint's */
};

struct lint {
	struct lint_finding *findings; /* owned */
	size_t count;
	size_t warnings; /* those that are no notes */
	void *memory;    /* owned */
};

/*
 * lint - find what there is to find in @policy
 *
 * @suffixes may be empty.
 */
void lint(struct lint *lint, const struct policy *policy,
	  const struct suffixes *suffixes);

/*
 * lint_lines - "FILE:LINE:COLUMN: warning: TEXT [NAME]", a line each, or
 * "note" for what is no fault, put behind @lines
 */
void lint_lines(struct buf *lines, const struct lint *lint);

/* lint_drop - release it; good as new afterwards */
void lint_drop(struct lint *lint);

#endif /* CHOCK_LINT_LINT_H */
