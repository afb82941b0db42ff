/* SPDX-License-Identifier: ISC */
#include "policy/decide.h"

#include <errno.h>
#include <string.h>

#include "base/bug.h"
#include "base/why.h"
#include "policy/action.h"
#include "policy/glob.h"
#include "policy/lookup.h"
#include "policy/match.h"
#include "policy/restriction.h"

/* ---- questions ---------------------------------------------------------- */

/* A rule may be about all of a class, a question is not. */
static bool is_class(struct span action)
{
	const char *last =
		memrchr(action.data ? action.data : "", '.', action.len);
	struct span part = action;

	if (last)
		part = span_from(action, (size_t)(last - action.data) + 1);
	return span_is(part, "*") || span_is(part, "**");
}

int decide_prepare(struct question *question, struct why *why)
{
	const char *fault = action_fault(question->action);
	struct act *act = &question->act;

	if (is_class(question->action))
		return why_set(why, EINVAL,
			       "a question is one action, not a class");
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
	struct glob_path path = { .path = question->act.path };
	const char *differs = match_differs(rule, question, agent);

	if (!differs)
		differs = attributes_differ(&rule->attributes, &question->act,
					    &path,
					    rule->decision == DECISION_ALLOW);
	glob_drop(&path);
	return differs;
}

const struct policy_rule *decide_tier(const struct policy *policy,
				      unsigned int tier,
				      const struct question *question,
				      struct span agent)
{
	struct match_agent one;
	struct match match;

	match_open(&match, policy, question, &one);
	match_add(&match, agent);
	match_tier(&match, tier);
	match_drop(&match);
	return one.found ? &policy->rules[one.found->number] : NULL;
}

/* ---- all tiers ---------------------------------------------------------- */

/* Whether nobody who uses the policy has said what @answer says. */
static bool is_shipped(const struct answer *answer)
{
	return answer->by == ANSWER_UNNAMED ||
	       (answer->by == ANSWER_BY_RULE &&
		answer->rule->layer == POLICY_DEFAULTS);
}

bool decide_lowers(const struct answer *least, const struct answer *other)
{
	if (other->decision != least->decision)
		return other->decision > least->decision;
	return other->decision == DECISION_ALLOW && is_shipped(other) &&
	       !is_shipped(least);
}

void decide_min(struct answer *least, struct answer other)
{
	if (decide_lowers(least, &other))
		*least = other;
}

/* What nobody named: an act is asked, a capability is there. */
static enum policy_decision unnamed(const struct question *question)
{
	return action_defaults_to_allow(question->action) ? DECISION_ALLOW
							  : DECISION_ASK;
}

static struct answer answer_for(const struct match *match,
				const struct match_agent *agent)
{
	const struct lookup_rule *least = agent->least;

	if (!least)
		return (struct answer){
			.decision = unnamed(match->question),
			.by = ANSWER_UNNAMED,
			.agent = agent->kind,
		};
	return (struct answer){
		.decision = (enum policy_decision)least->decision,
		.by = ANSWER_BY_RULE,
		.rule = &match->policy->rules[least->number],
		.agent = agent->kind,
	};
}

/* The layers answer, whichever is the first that does. */
static void ask_layers(struct match *match)
{
	unsigned int tier;
	size_t i;

	for (tier = POLICY_COMMAND; match->missing && tier < POLICY_CEILING;
	     tier++)
		match_tier(match, tier);
	for (i = 0; i < match->count; i++)
		match->agents[i].least = match->agents[i].found;
}

static void ask_ceiling(struct match *match, unsigned int tier)
{
	size_t i;

	match_again(match);
	match_tier(match, tier);
	for (i = 0; i < match->count; i++) {
		struct match_agent *agent = &match->agents[i];

		if (agent->found &&
		    agent->found->decision > answer_for(match, agent).decision)
			agent->least = agent->found;
	}
}

static struct answer ask_all(struct match *match)
{
	struct answer least;
	unsigned int tier;
	size_t i;

	ask_layers(match);
	for (tier = 0; tier < match->policy->ceiling_count; tier++)
		ask_ceiling(match, POLICY_CEILING + tier);
	least = answer_for(match, &match->agents[0]);
	for (i = 1; i < match->count; i++)
		decide_min(&least, answer_for(match, &match->agents[i]));
	match_drop(match);
	return least;
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
	const struct policy *policy, const struct question *question)
{
	struct span kinds[DECIDE_AGENTS_MAX] __attribute__((uninitialized));
	/* Filled as far as it is counted: clearing it is dear. */
	struct match_agent agents[DECIDE_AGENTS_MAX]
		__attribute__((uninitialized));
	size_t count = decide_agents(policy, question->asker, kinds);
	struct match match;
	size_t i;

	match_open(&match, policy, question, agents);
	for (i = 0; i < count; i++)
		match_add(&match, kinds[i]);
	return ask_all(&match);
}

/* Without declarations the chain itself is all that counts. */
static struct answer decide_chain(const struct policy *policy,
				  const struct question *question)
{
	const struct asker *asker = question->asker;
	struct match_agent agents[CHAIN_MAX] __attribute__((uninitialized));
	struct match match;
	size_t i;

	match_open(&match, policy, question, agents);
	for (i = 0; i < asker->chain_count; i++)
		match_add(&match, asker->chain[i]);
	return ask_all(&match);
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
	struct answer least;

	bug_if(question->action.len &&
	       !policy_answers(policy, question->action));
	if (!check_chain(policy, question->asker, &least))
		return least;
	if (!question->action.len)
		return (struct answer){ .decision = DECISION_ALLOW,
					.by = ANSWER_NOTHING };
	least = policy->agent_count ? decide_declared(policy, question)
				    : decide_chain(policy, question);
	restrain(policy, question, &least);
	return least;
}
