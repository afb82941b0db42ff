/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LINT_LINTING_H
#define CHOCK_LINT_LINTING_H

/*
 * linting - what the parts of lint share
 *
 * Invariants
 *   - sorted has the rules by tier and by the name of their action, so that
 *     those of one class stand together.
 */

#include "lint/lint.h"
#include "policy/rule.h"

struct linting {
	struct lint *lint;
	const struct policy *policy;
	const struct suffixes *suffixes;
	const struct policy_rule **sorted; /* owned; policy->rule_count */
	size_t compared;
};

/* Some of the sorted rules. */
struct rule_range {
	const struct policy_rule *const *first;
	const struct policy_rule *const *end;
};

/* What one tier answers to all that a rule matches. */
struct reach {
	bool always;                    /* it always has an answer */
	bool stricter;                  /* whatever it answers is stricter */
	const struct policy_rule *best; /* the rule that always matches */
};

/* lint_add - note a finding at @origin; @text is kept */
void lint_add(struct lint *lint, enum lint_kind kind,
	      const struct policy_origin *origin, const struct buf *text);

/* linting_sort - make ready to look for rules; linting_drop() releases */
void linting_sort(struct linting *linting);
void linting_drop(struct linting *linting);

/* linting_same - the rules of @tier with just this action */
struct rule_range linting_same(const struct linting *linting, unsigned int tier,
			       struct rule_field action);

/* linting_may_compare - whether one more pair of rules may be compared */
bool linting_may_compare(struct linting *linting);

/*
 * linting_covering - the best rule of @tier that matches all that @rule does
 *
 * NULL if there is none.
 */
const struct policy_rule *linting_covering(struct linting *linting,
					   unsigned int tier,
					   const struct policy_rule *rule);

/* linting_reach - what @tier answers to all that @rule matches */
struct reach linting_reach(struct linting *linting, unsigned int tier,
			   const struct policy_rule *rule);

/* The parts of lint, each about one kind of statement. */
void lint_rules(struct linting *linting);
void lint_acts(struct linting *linting);
void lint_grants(struct linting *linting);

#endif /* CHOCK_LINT_LINTING_H */
