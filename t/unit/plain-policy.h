/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_UNIT_PLAIN_POLICY_H
#define CHOCK_UNIT_PLAIN_POLICY_H

/*
 * plain-policy - answers without a table: every rule is looked at
 */

#include "policy/action.h"
#include "policy/decide.h"

static inline const struct policy_rule *plain_tier(
	const struct policy *policy, unsigned int tier,
	const struct question *question, struct span agent)
{
	const struct policy_rule *best = NULL;
	size_t i;

	for (i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		if (rule->tier == tier &&
		    rule_field_fits(rule->action, question->action) &&
		    !decide_differs(rule, question, agent) &&
		    (!best || rule_better(rule, best)))
			best = rule;
	}
	return best;
}

static inline bool plain_equal(const struct policy_rule *a,
			       const struct policy_rule *b)
{
	return !a == !b && (!a || (!rule_better(a, b) && !rule_better(b, a)));
}

static inline enum policy_decision plain_decision(
	const struct policy *policy, const struct question *question,
	struct span agent)
{
	const struct policy_rule *rule = NULL;
	enum policy_decision least;
	unsigned int tier;

	for (tier = 0; !rule && tier < POLICY_CEILING; tier++)
		rule = plain_tier(policy, tier, question, agent);
	least = action_defaults_to_allow(question->action) ? DECISION_ALLOW
							   : DECISION_ASK;
	if (rule)
		least = rule->decision;
	for (tier = 0; tier < policy->ceiling_count; tier++) {
		rule = plain_tier(policy, POLICY_CEILING + tier, question,
				  agent);
		if (rule && rule->decision > least)
			least = rule->decision;
	}
	return least;
}

/* All agents together, as decide() looks at them. */
static inline bool plain_answers(const struct policy *policy,
				 const struct question *question)
{
	struct answer answer = decide(policy, question);
	struct span agents[DECIDE_AGENTS_MAX];
	size_t count = decide_agents(policy, question->asker, agents);
	enum policy_decision least = DECISION_ALLOW;
	size_t i;

	if (answer.by != ANSWER_BY_RULE && answer.by != ANSWER_UNNAMED)
		return true;
	for (i = 0; i < count; i++) {
		enum policy_decision one =
			plain_decision(policy, question, agents[i]);

		least = one > least ? one : least;
	}
	return answer.decision == least &&
	       (!answer.rule ||
		plain_equal(answer.rule, plain_tier(policy, answer.rule->tier,
						    question, answer.agent)));
}

/* plain_agrees - whether the table leads to what comparing all rules finds */
static inline bool plain_agrees(const struct policy *policy,
				const struct question *question)
{
	const struct asker *asker = question->asker;
	unsigned int tier;
	size_t i;

	for (i = 0; i < asker->chain_count; i++)
		for (tier = 0; tier < POLICY_CEILING + policy->ceiling_count;
		     tier++)
			if (!plain_equal(decide_tier(policy, tier, question,
						     asker->chain[i]),
					 plain_tier(policy, tier, question,
						    asker->chain[i])))
				return false;
	return plain_answers(policy, question);
}

#endif /* CHOCK_UNIT_PLAIN_POLICY_H */
