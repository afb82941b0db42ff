/* SPDX-License-Identifier: ISC */
#include "policy/match.h"

#include "policy/attributes.h"
#include "policy/decide.h"
#include "policy/group.h"
#include "policy/lookup.h"
#include "policy/policy.h"
#include "policy/rule.h"

const char *match_differs(const struct policy_rule *rule,
			  const struct question *question, struct span agent)
{
	const struct asker *asker = question->asker;

	if (!rule_field_fits(rule->tool, asker->tool))
		return "tool";
	if (!rule_field_fits(rule->model, asker->model))
		return "model";
	return rule_field_fits(rule->agent, agent) ? NULL : "agent";
}

/* ---- who asks ----------------------------------------------------------- */

void match_open(struct match *match, const struct policy *policy,
		const struct question *question, struct match_agent *agents)
{
	const struct lookup *lookup = lookup_of(policy);
	const struct asker *asker = question->asker;

	*match = (struct match){
		.policy = policy,
		.lookup = lookup,
		.question = question,
		.path.path = question->act.path,
		.agents = agents,
		.flagged = question->act.websocket || question->act.cleartext,
	};
	match->place = lookup_place(
		lookup, (struct rule_field){ question->action, false }, true);
	if (match->place && lookup->by_name) {
		match->tool = lookup_name(asker->tool);
		match->model = lookup_name(asker->model);
	}
}

void match_drop(struct match *match)
{
	glob_drop(&match->path);
}

void match_add(struct match *match, struct span kind)
{
	bool by_name = match->place && match->lookup->by_name;
	size_t i;

	for (i = 0; i < match->count; i++)
		if (span_equal(match->agents[i].kind, kind))
			return;
	match->agents[match->count++] = (struct match_agent){
		.kind = kind,
		.name = by_name ? lookup_name(kind) : 0,
	};
	match->missing++;
}

void match_again(struct match *match)
{
	size_t i;

	for (i = 0; i < match->count; i++)
		match->agents[i].found = NULL;
	match->missing = match->count;
}

/* ---- rules -------------------------------------------------------------- */

/* Whether the rule can be for anybody, as far as hashes tell. */
static bool may_match(const struct lookup_rule *rule, const struct match *match)
{
	return (!rule->tool || rule->tool == match->tool) &&
	       (!rule->model || rule->model == match->model) &&
	       (!rule->agent || match->count > 1 ||
		rule->agent == match->agents->name);
}

static bool act_differs(struct match *match, const struct policy_rule *full)
{
	return attributes_differ(&full->attributes, &match->question->act,
				 &match->path,
				 full->decision == DECISION_ALLOW);
}

/*
 * Whether @rule wins against what @agent has.  Found in its run, which ends
 * at @end, that can be a rule behind it; found elsewhere, it is better.
 */
static bool takes(const struct match_agent *agent,
		  const struct lookup_rule *rule, const struct lookup_rule *end)
{
	return !agent->found || (agent->found > rule && agent->found < end);
}

static void take(struct match *match, struct match_agent *agent,
		 const struct lookup_rule *rule)
{
	match->missing -= !agent->found;
	agent->found = rule;
}

/*
 * Gives @rule to all agents that it is for and that take it.  What the act
 * is does not depend on who asks, and is looked at once.
 */
static void give(struct match *match, const struct lookup_rule *rule,
		 const struct lookup_rule *end)
{
	const struct policy_rule *full = &match->policy->rules[rule->number];
	bool looked_at = false;
	size_t i;

	for (i = 0; i < match->count; i++) {
		struct match_agent *agent = &match->agents[i];

		if (!takes(agent, rule, end) ||
		    (rule->agent && rule->agent != agent->name) ||
		    match_differs(full, match->question, agent->kind))
			continue;
		if (!looked_at && act_differs(match, full))
			return;
		looked_at = true;
		take(match, agent, rule);
	}
}

static void give_all(struct match *match, const struct lookup_rule *rule)
{
	size_t i;

	for (i = 0; i < match->count; i++)
		if (!match->agents[i].found)
			match->agents[i].found = rule;
	match->missing = 0;
}

/* ---- long runs ---------------------------------------------------------- */

/* The first rule of the group of @kind that @agent, or any, may be for. */
static const struct lookup_rule *group_for(const struct match *match,
					   const struct lookup_run *run,
					   unsigned int kind,
					   const struct match_agent *agent)
{
	const struct lookup_rule names = {
		.tool = kind & GROUP_TOOL ? match->tool : 0,
		.model = kind & GROUP_MODEL ? match->model : 0,
		.agent = agent ? agent->name : 0,
	};

	return group_first(match->lookup, run, &names);
}

/* Gives @agent the first that matches of a group that names it. */
static void try_own(struct match *match, struct match_agent *agent,
		    const struct lookup_rule *rule,
		    const struct lookup_rule *end)
{
	for (; rule && takes(agent, rule, end);
	     rule = group_next(match->lookup, rule)) {
		const struct policy_rule *full =
			&match->policy->rules[rule->number];

		if (match_differs(full, match->question, agent->kind) ||
		    act_differs(match, full))
			continue;
		take(match, agent, rule);
		return;
	}
}

static bool any_takes(const struct match *match, const struct lookup_rule *rule,
		      const struct lookup_rule *end)
{
	size_t i;

	for (i = 0; i < match->count; i++)
		if (takes(&match->agents[i], rule, end))
			return true;
	return false;
}

/* A bare rule is behind all others of its run, and replaces none. */
static void try_shared(struct match *match, const struct lookup_rule *rule,
		       const struct lookup_rule *end)
{
	for (; rule && any_takes(match, rule, end);
	     rule = group_next(match->lookup, rule))
		if (rule->bare && !match->flagged)
			give_all(match, rule);
		else
			give(match, rule, end);
}

/* Each group gives its best, and the best of those is kept.  Apart from
 * match_tier(), so that short runs do not pay for the registers. */
static __attribute__((noinline)) void try_groups(struct match *match,
						 const struct lookup_run *run)
{
	const struct lookup_rule *end =
		&match->lookup->rules[run->first] + run->count;
	unsigned int kind;
	size_t i;

	for (kind = 0; kind < GROUP_KINDS; kind++) {
		if (!(run->kinds & 1U << kind))
			continue;
		if (!(kind & GROUP_AGENT)) {
			try_shared(match, group_for(match, run, kind, NULL),
				   end);
			continue;
		}
		for (i = 0; i < match->count; i++)
			try_own(match, &match->agents[i],
				group_for(match, run, kind, &match->agents[i]),
				end);
	}
}

/* ---- tiers -------------------------------------------------------------- */

/* The rules of a run are in the order in which they win. */
static void try_run(struct match *match, const struct lookup_run *run)
{
	const struct lookup_rule *rule = &match->lookup->rules[run->first];
	const struct lookup_rule *end = rule + run->count;

	for (; rule < end && match->missing; rule++)
		if (rule->bare && !match->flagged)
			give_all(match, rule);
		else if (may_match(rule, match))
			give(match, rule, NULL);
}

/* The action is compared first, so the first place with a match decides. */
void match_tier(struct match *match, unsigned int tier)
{
	const struct lookup_place *place = match->place;

	while (place && match->missing) {
		const struct lookup_run *run =
			lookup_run(match->lookup, place, tier);

		if (run && run->kinds)
			try_groups(match, run);
		else if (run)
			try_run(match, run);
		place = lookup_above(match->lookup, place);
	}
}
