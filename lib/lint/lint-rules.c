/* SPDX-License-Identifier: ISC */
/* Rules that another one always answers before, or lowers. */
#include "base/buf.h"
#include "lint/cover.h"
#include "lint/linting.h"
#include "policy/action.h"
#include "policy/agent.h"
#include "policy/tell.h"

/* " 'RULE' at FILE:LINE" */
static void add_rule(struct buf *text, const struct policy_rule *rule)
{
	buf_adds(text, " '");
	tell_rule(text, rule);
	buf_adds(text, "' at ");
	tell_place(text, &rule->origin);
}

/* A finding about @rule that ends with @other. */
static void add_finding(struct linting *linting, enum lint_kind kind,
			const struct policy_rule *rule, const char *what,
			const struct policy_rule *other)
{
	autobuf struct buf text = { 0 };

	buf_addc(&text, '\'');
	tell_rule(&text, rule);
	buf_addf(&text, "' %s", what);
	add_rule(&text, other);
	lint_add(linting->lint, kind, &rule->origin, &text);
}

/* ---- within a tier ------------------------------------------------------ */

/* Of two rules that are the same, the one that was written first is it. */
static bool is_redundant(const struct policy_rule *rule,
			 const struct policy_rule *other)
{
	return !rule_better(rule, other) && rule->decision == other->decision &&
	       (!rule_covers(rule, other) || other < rule);
}

/*
 * A rule that matches all that @rule does and comes before it has the same
 * action: one with a wider action is less exact.
 */
static void check_tier(struct linting *linting, const struct policy_rule *rule)
{
	struct rule_range range =
		linting_same(linting, rule->tier, rule->action);

	for (; range.first < range.end; range.first++) {
		const struct policy_rule *other = *range.first;

		if (!linting_may_compare(linting))
			return;
		if (other == rule || !rule_covers(other, rule))
			continue;
		if (rule_better(other, rule)) {
			add_finding(linting, LINT_NEVER_WINS, rule,
				    "never decides, always", other);
			return;
		}
		if (!policy_is_shipped(&rule->origin) &&
		    is_redundant(rule, other)) {
			add_finding(linting, LINT_SAME_ANSWER, rule,
				    "adds nothing to", other);
			return;
		}
	}
}

/* ---- between tiers ------------------------------------------------------ */

static bool check_layers(struct linting *linting,
			 const struct policy_rule *rule)
{
	const struct policy_rule *other;
	unsigned int tier;

	for (tier = POLICY_COMMAND; tier < rule->tier; tier++) {
		other = linting_covering(linting, tier, rule);
		if (!other)
			continue;
		add_finding(linting, LINT_OVERRULED, rule,
			    "is never asked, for a layer above it always has "
			    "an answer:",
			    other);
		return true;
	}
	return false;
}

/* The ceiling that always lowers @rule, or NULL. */
static const struct policy_rule *lowering(struct linting *linting,
					  const struct policy_rule *rule)
{
	unsigned int i;

	for (i = 0; i < linting->policy->ceiling_count; i++) {
		struct reach reach =
			linting_reach(linting, POLICY_CEILING + i, rule);

		if (reach.always && reach.stricter)
			return reach.best;
	}
	return NULL;
}

static void check_ceilings(struct linting *linting,
			   const struct policy_rule *rule)
{
	const struct policy_rule *lower = NULL;

	if (rule->decision < DECISION_DENY)
		lower = lowering(linting, rule);
	if (lower)
		add_finding(linting, LINT_CEILING, rule,
			    "is void, a ceiling always lowers it:", lower);
}

/* ---- agents ------------------------------------------------------------- */

/* Whether some action that @action names is allowed where nobody names it. */
static bool may_default_to_allow(struct rule_field action)
{
	if (!action.name.data || action_defaults_to_allow(action.name))
		return true;
	return action.class && (span_is(action.name, "provider") ||
				span_is(action.name, "workspace"));
}

/* Whether all that @rule matches gets a stricter answer; @cause says by what,
 * and is NULL where it is by being named nowhere. */
static bool is_stricter(struct linting *linting, const struct policy_rule *rule,
			const struct policy_rule **cause)
{
	unsigned int tier;

	*cause = lowering(linting, rule);
	if (*cause)
		return true;
	for (tier = POLICY_COMMAND; tier < POLICY_CEILING; tier++) {
		struct reach reach = linting_reach(linting, tier, rule);

		if (!reach.stricter)
			return false;
		*cause = reach.best;
		if (reach.always)
			return true;
	}
	return rule->decision < DECISION_ASK &&
	       !may_default_to_allow(rule->action);
}

static const char *parent_of(const struct policy *policy, struct span kind)
{
	size_t i;

	for (i = 0; i < policy->agent_count; i++)
		if (policy->agents[i].parent &&
		    span_is(kind, policy->agents[i].kind))
			return policy->agents[i].parent;
	return NULL;
}

static void add_ancestor(struct linting *linting,
			 const struct policy_rule *rule, const char *parent,
			 const struct policy_rule *cause)
{
	autobuf struct buf text = { 0 };

	buf_addc(&text, '\'');
	tell_rule(&text, rule);
	buf_adds(&text, "' is void, '");
	buf_add_plain(&text, rule->agent.name);
	buf_adds(&text, "' is declared below '");
	buf_add_plain(&text, span_of(parent));
	buf_addf(&text, "', which gets '%s'",
		 decision_word(cause ? cause->decision : DECISION_ASK));
	if (cause) {
		buf_adds(&text, " by");
		add_rule(&text, cause);
	} else {
		buf_adds(&text, " because nothing names it");
	}
	lint_add(linting->lint, LINT_ANCESTOR, &rule->origin, &text);
}

/* A chain of parents has an end: agent_check() has seen to that. */
static void check_ancestors(struct linting *linting,
			    const struct policy_rule *rule)
{
	struct policy_rule above = *rule;
	const struct policy_rule *cause = NULL;
	const char *parent;

	if (!rule->agent.name.data || rule->agent.class)
		return;
	parent = parent_of(linting->policy, rule->agent.name);
	for (; parent; parent = parent_of(linting->policy, span_of(parent))) {
		above.agent.name = span_of(parent);
		if (!is_stricter(linting, &above, &cause))
			continue;
		add_ancestor(linting, rule, parent, cause);
		return;
	}
}

/* ---- ceilings themselves ------------------------------------------------ */

/* Whether @rule takes something out of a stricter rule of its own ceiling. */
static bool exempts(struct linting *linting, const struct policy_rule *rule)
{
	const struct policy *policy = linting->policy;
	size_t i;

	for (i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *other = &policy->rules[i];

		if (!linting_may_compare(linting))
			return true;
		if (other->tier == rule->tier &&
		    other->decision > rule->decision &&
		    rule_better(rule, other) && rule_meets(rule, other))
			return true;
	}
	return false;
}

static void check_ceiling(struct linting *linting,
			  const struct policy_rule *rule)
{
	autobuf struct buf text = { 0 };

	if (rule->decision != DECISION_ALLOW ||
	    policy_is_shipped(&rule->origin) || exempts(linting, rule))
		return;
	buf_addc(&text, '\'');
	tell_rule(&text, rule);
	buf_adds(&text, "' does nothing: a ceiling grants nothing, and this "
			"one has no stricter rule to take it out of");
	lint_add(linting->lint, LINT_CEILING_ALLOWS, &rule->origin, &text);
}

void lint_rules(struct linting *linting)
{
	size_t i;

	for (i = 0; i < linting->policy->rule_count; i++) {
		const struct policy_rule *rule = &linting->policy->rules[i];

		check_tier(linting, rule);
		if (rule->layer == POLICY_CEILING)
			check_ceiling(linting, rule);
		/* Shipped defaults are there to be overruled. */
		if (rule->layer >= POLICY_DEFAULTS)
			continue;
		if (!policy_is_shipped(&rule->origin) &&
		    check_layers(linting, rule))
			continue;
		check_ceilings(linting, rule);
		check_ancestors(linting, rule);
	}
}
