/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LINT_COVER_H
#define CHOCK_LINT_COVER_H

/*
 * cover - which questions two rules have in common, without asking any
 *
 * Invariants
 *   - Both answers are certain where they can do harm: what is said to cover
 *     does, and what is said not to meet does not.  Where a list has more
 *     than COVER_ITEMS_MAX items or a pattern more than COVER_PATTERN_MAX
 *     parts, only the same list or pattern covers it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct policy_rule;

#define COVER_ITEMS_MAX 64
#define COVER_PATTERN_MAX ((size_t)256)

/* rule_covers - whether @wide matches every question that @narrow matches */
bool rule_covers(const struct policy_rule *wide,
		 const struct policy_rule *narrow);

/* rule_meets - whether a question may be there that both match */
bool rule_meets(const struct policy_rule *a, const struct policy_rule *b);

/*
 * glob_covers - whether the pattern @wide matches all paths that @narrow does
 *
 * Patterns are those of policy/glob.h.
 */
bool glob_covers(struct span wide, struct span narrow);

#endif /* CHOCK_LINT_COVER_H */
