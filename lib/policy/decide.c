/* SPDX-License-Identifier: ISC */
#include "policy/decide.h"

#include <errno.h>

#include "base/why.h"
#include "policy/action.h"
#include "policy/lookup.h"
#include "policy/restriction.h"

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

/* What stays the same for all tiers and agents. */
struct asking {
	const struct policy *policy;
	const struct lookup *lookup;
	const struct question *question;
	const struct lookup_place *place; /* the most exact; NULL: none */
	uint32_t tool;                    /* hashes of names */
	uint32_t model;
	bool flagged; /* the act is more than its name says */
};

static struct asking asking_of(const struct policy *policy,
			       const struct question *question)
{
	const struct lookup *lookup = lookup_of(policy);
	const struct asker *asker = question->asker;
	struct asking asking = {
		.policy = policy,
		.lookup = lookup,
		.question = question,
		.flagged = question->act.websocket || question->act.cleartext,
	};

	asking.place = lookup_place(
		lookup, (struct rule_field){ question->action, false }, true);
	if (asking.place && lookup->by_name) {
		asking.tool = lookup_name(asker->tool);
		asking.model = lookup_name(asker->model);
	}
	return asking;
}

static bool may_match(const struct lookup_rule *rule,
		      const struct asking *asking, uint32_t agent)
{
	return (!rule->tool || rule->tool == asking->tool) &&
	       (!rule->model || rule->model == asking->model) &&
	       (!rule->agent || rule->agent == agent);
}

/* The rules of a run are in the order in which they win. */
static const struct lookup_rule *first_match(const struct asking *asking,
					     const struct lookup_run *run,
					     struct span agent)
{
	const struct lookup_rule *rule = &asking->lookup->rules[run->first];
	const struct lookup_rule *end = rule + run->count;
	uint32_t name = asking->lookup->by_name ? lookup_name(agent) : 0;

	for (; rule < end; rule++) {
		if (rule->bare && !asking->flagged)
			return rule;
		if (may_match(rule, asking, name) &&
		    !decide_differs(&asking->policy->rules[rule->number],
				    asking->question, agent))
			return rule;
	}
	return NULL;
}

/* The action is compared first, so the first place with a match decides. */
static const struct lookup_rule *match(const struct asking *asking,
				       unsigned int tier, struct span agent)
{
	const struct lookup_place *place = asking->place;
	const struct lookup_rule *found = NULL;

	for (; place && !found; place = lookup_above(asking->lookup, place)) {
		const struct lookup_run *run =
			lookup_run(asking->lookup, place, tier);

		if (run)
			found = first_match(asking, run, agent);
	}
	return found;
}

const struct policy_rule *decide_tier(const struct policy *policy,
				      unsigned int tier,
				      const struct question *question,
				      struct span agent)
{
	struct asking asking = asking_of(policy, question);
	const struct lookup_rule *found = match(&asking, tier, agent);

	return found ? &policy->rules[found->number] : NULL;
}

/* ---- all tiers ---------------------------------------------------------- */

static struct answer by_rule(const struct asking *asking,
			     const struct lookup_rule *found, struct span agent)
{
	return (struct answer){
		.decision = (enum policy_decision)found->decision,
		.by = ANSWER_BY_RULE,
		.rule = &asking->policy->rules[found->number],
		.agent = agent,
	};
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

static struct answer decide_for(const struct asking *asking, struct span agent)
{
	const struct lookup_rule *found = NULL;
	struct answer answer;
	unsigned int tier;

	for (tier = POLICY_COMMAND; !found && tier < POLICY_CEILING; tier++)
		found = match(asking, tier, agent);
	answer = found ? by_rule(asking, found, agent)
		       : unnamed(asking->question, agent);
	for (tier = 0; tier < asking->policy->ceiling_count; tier++) {
		found = match(asking, POLICY_CEILING + tier, agent);
		if (found)
			decide_min(&answer, by_rule(asking, found, agent));
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
	size_t declared, i, j;

	for (i = 0; i < asker->chain_count; i++)
		add_agent(agents, &count, asker->chain[i]);
	for (i = 0; policy->agent_count && i < count; i++) {
		const uint32_t *number =
			lookup_agents(policy, agents[i], &declared);

		for (j = 0; j < declared; j++) {
			const char *parent = policy->agents[number[j]].parent;

			if (parent)
				add_agent(agents, &count, span_of(parent));
		}
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

/* Apart from decide(), for that many agents take room on the stack. */
static __attribute__((noinline)) struct answer decide_declared(
	const struct asking *asking)
{
	struct span agents[DECIDE_AGENTS_MAX];
	size_t count =
		decide_agents(asking->policy, asking->question->asker, agents);
	struct answer least = decide_for(asking, agents[0]);
	size_t i;

	for (i = 1; i < count; i++)
		decide_min(&least, decide_for(asking, agents[i]));
	return least;
}

/* Without declarations the chain itself is all that counts. */
static struct answer decide_chain(const struct asking *asking)
{
	const struct asker *asker = asking->question->asker;
	struct answer least = decide_for(asking, asker->chain[0]);
	size_t i;

	for (i = 1; i < asker->chain_count; i++)
		decide_min(&least, decide_for(asking, asker->chain[i]));
	return least;
}

static void restrain(const struct policy *policy,
		     const struct question *question, struct answer *answer)
{
	const struct restriction *least =
		restriction_least(policy->restrictions, question);

	if (least)
		decide_min(answer, (struct answer){ .decision = least->at_most,
						    .by = ANSWER_RESTRICTION,
						    .restriction = least });
}

struct answer decide(const struct policy *policy,
		     const struct question *question)
{
	struct asking asking;
	struct answer least;

	if (!check_chain(policy, question->asker, &least))
		return least;
	if (!question->action.len)
		return (struct answer){ .decision = DECISION_ALLOW,
					.by = ANSWER_NOTHING };
	asking = asking_of(policy, question);
	least = policy->agent_count ? decide_declared(&asking)
				    : decide_chain(&asking);
	restrain(policy, question, &least);
	return least;
}
