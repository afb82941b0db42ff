/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_RULE_H
#define CHOCK_POLICY_RULE_H

/*
 * rule - DECISION ACTION [FIELD VALUE]...
 *
 * A tier is a layer of the policy or one of its ceilings, each of which
 * answers for itself.  lookup finds the rules of a tier by their action.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "policy/attributes.h"
#include "policy/decision.h"
#include "policy/policy.h"

struct buf;

/* A field: a name, a class (a name with ".*" behind), or absent. */
struct rule_field {
	struct span name; /* without ".*"; without data: absent */
	bool class;
};

struct policy_rule {
	enum policy_decision decision;
	struct rule_field action; /* absent: any */
	struct attributes attributes;
	struct rule_field tool;
	struct rule_field model;
	struct rule_field agent;
	struct policy_origin origin;
	enum policy_layer layer;
	unsigned int tier;
	size_t next; /* lookup's: of the same tier and action; number + 1 */
};

/* rule_add - make a copy of @rule the last of @policy */
void rule_add(struct policy *policy, const struct policy_rule *rule);

/*
 * rule_first - the first of the rules of @tier whose action is @action
 *
 * Without one, NULL.  rule_next() gives the others, those that win against
 * the rest first.
 */
const struct policy_rule *rule_first(const struct policy *policy,
				     unsigned int tier,
				     struct rule_field action);
const struct policy_rule *rule_next(const struct policy *policy,
				    const struct policy_rule *rule);

/*
 * rule_widen - from one action to the class above it, and at last to any
 *
 * Returns false where @action is any already.
 */
bool rule_widen(struct rule_field *action);

/* rule_name - how @rule is named in answers, put behind @name */
void rule_name(struct buf *name, const struct policy_rule *rule);

/* rule_layer_word - what @layer is called in answers */
const char *rule_layer_word(enum policy_layer layer);

/* rule_field_fits - whether @field, if there, is @name or has it below it */
bool rule_field_fits(struct rule_field field, struct span name);

/*
 * rule_better - which of two rules that match the same act decides
 *
 * Returns the name of the first field by which @a is more exact than @b,
 * "decision" if it is the more restrictive of equals, or NULL if it is not.
 */
const char *rule_better(const struct policy_rule *a,
			const struct policy_rule *b);

#endif /* CHOCK_POLICY_RULE_H */
