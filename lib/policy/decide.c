/* SPDX-License-Identifier: ISC */
#include "policy/decide.h"

#include <errno.h>

#include "base/why.h"
#include "policy/action.h"

/* ---- questions ---------------------------------------------------------- */

int decide_prepare(struct question *question, struct why *why)
{
	const char *fault = action_fault(question->action);
	struct act *act = &question->act;

	if (fault)
		return why_set(why, EINVAL, "the action has %s", fault);
	if (!action_path(&question->path, question->action))
		return 0;
	if (act->path.data && !span_equal(act->path, buf_span(&question->path)))
		return why_set(why, EINVAL,
			       "the action and the attribute name different "
			       "paths");
	return act_set(act, "path", buf_span(&question->path), why);
}

void decide_release(struct question *question)
{
	buf_drop(&question->path);
}

/* ---- one tier, one agent ------------------------------------------------ */

const char *decide_differs(const struct policy_rule *rule,
			   const struct question *question, struct span agent)
{
	if (!rule_field_fits(rule->tool, question->asker->tool))
		return "tool";
	if (!rule_field_fits(rule->model, question->asker->model))
		return "model";
	if (!rule_field_fits(rule->agent, agent))
		return "agent";
	return attributes_differ(&rule->attributes, &question->act,
				 rule->decision == DECISION_ALLOW);
}

/* The action is compared first, so the first one with a match decides. */
const struct policy_rule *decide_tier(const struct policy *policy,
				      unsigned int tier,
				      const struct question *question,
				      struct span agent)
{
	struct rule_field action = { question->action, false };
	const struct policy_rule *best = NULL;
	const struct policy_rule *rule;

	do {
		rule = rule_first(policy, tier, action);
		for (; rule; rule = rule_next(policy, rule))
			if (!decide_differs(rule, question, agent) &&
			    (!best || rule_better(rule, best)))
				best = rule;
	} while (!best && rule_widen(&action));
	return best;
}

/* ---- all tiers ---------------------------------------------------------- */

static struct answer by_rule(const struct policy_rule *rule, struct span agent)
{
	return (struct answer){ rule->decision, ANSWER_BY_RULE, rule, agent };
}

/* What nobody named: an act is asked, a capability is there. */
static struct answer unnamed(const struct question *question, struct span agent)
{
	struct answer answer = { .decision = DECISION_ASK,
				 .by = ANSWER_UNNAMED,
				 .agent = agent };

	if (action_defaults_to_allow(question->action))
		answer.decision = DECISION_ALLOW;
	return answer;
}

void decide_min(struct answer *least, struct answer other)
{
	if (other.decision > least->decision)
		*least = other;
}

static struct answer decide_for(const struct policy *policy,
				const struct question *question,
				struct span agent)
{
	const struct policy_rule *rule = NULL;
	struct answer answer;
	unsigned int tier;

	for (tier = POLICY_COMMAND; !rule && tier < POLICY_CEILING; tier++)
		rule = decide_tier(policy, tier, question, agent);
	answer = rule ? by_rule(rule, agent) : unnamed(question, agent);
	for (tier = 0; tier < policy->ceiling_count; tier++) {
		rule = decide_tier(policy, POLICY_CEILING + tier, question,
				   agent);
		if (rule)
			decide_min(&answer, by_rule(rule, agent));
	}
	return answer;
}

/* ---- all agents --------------------------------------------------------- */

static void add_agent(struct span agents[DECIDE_AGENTS_MAX], size_t *count,
		      struct span kind)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (span_equal(agents[i], kind))
			return;
	agents[(*count)++] = kind;
}

size_t decide_agents(const struct policy *policy, const struct asker *asker,
		     struct span agents[DECIDE_AGENTS_MAX])
{
	size_t count = 0;
	size_t i, j;

	for (i = 0; i < asker->chain_count; i++)
		add_agent(agents, &count, asker->chain[i]);
	for (i = 0; i < count; i++)
		for (j = 0; j < policy->agent_count; j++) {
			const struct policy_agent *agent = &policy->agents[j];

			if (agent->parent && span_is(agents[i], agent->kind))
				add_agent(agents, &count,
					  span_of(agent->parent));
		}
	return count;
}

/* A chain that says nothing certain about who asks is refused as a whole. */
static bool check_chain(const struct policy *policy, const struct asker *asker,
			struct answer *answer)
{
	size_t i;

	*answer = (struct answer){ .decision = DECISION_DENY,
				   .by = ANSWER_CHAIN };
	if (!asker->chain_count)
		return false;
	for (i = 0; i < asker->chain_count; i++)
		if (!asker->chain[i].len)
			return false;
	answer->by = ANSWER_KIND;
	for (i = 0; i < asker->chain_count; i++) {
		answer->agent = asker->chain[i];
		if (!agent_known(policy, answer->agent))
			return false;
	}
	return true;
}

struct answer decide(const struct policy *policy,
		     const struct question *question)
{
	struct span agents[DECIDE_AGENTS_MAX];
	struct answer least;
	size_t count, i;

	if (!check_chain(policy, question->asker, &least))
		return least;
	if (!question->action.len)
		return (struct answer){ .decision = DECISION_ALLOW,
					.by = ANSWER_NOTHING };
	count = decide_agents(policy, question->asker, agents);
	least = decide_for(policy, question, agents[0]);
	for (i = 1; i < count; i++)
		decide_min(&least, decide_for(policy, question, agents[i]));
	return least;
}
