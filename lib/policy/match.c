/* SPDX-License-Identifier: ISC */
#include "policy/match.h"

#include "policy/attributes.h"
#include "policy/decide.h"
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

/*
 * Gives @rule to all agents that it is for and that have none.  What the act
 * is does not depend on who asks, and is looked at once.
 */
static void give(struct match *match, const struct lookup_rule *rule)
{
	const struct policy_rule *full = &match->policy->rules[rule->number];
	const struct question *question = match->question;
	bool looked_at = false;
	size_t i;

	for (i = 0; i < match->count; i++) {
		struct match_agent *agent = &match->agents[i];

		if (agent->found ||
		    (rule->agent && rule->agent != agent->name) ||
		    match_differs(full, question, agent->kind))
			continue;
		if (!looked_at &&
		    attributes_differ(&full->attributes, &question->act,
				      &match->path,
				      full->decision == DECISION_ALLOW))
			return;
		looked_at = true;
		agent->found = rule;
		match->missing--;
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

/* The rules of a run are in the order in which they win. */
static void try_run(struct match *match, const struct lookup_run *run)
{
	const struct lookup_rule *rule = &match->lookup->rules[run->first];
	const struct lookup_rule *end = rule + run->count;

	for (; rule < end && match->missing; rule++)
		if (rule->bare && !match->flagged)
			give_all(match, rule);
		else if (may_match(rule, match))
			give(match, rule);
}

/* The action is compared first, so the first place with a match decides. */
void match_tier(struct match *match, unsigned int tier)
{
	const struct lookup_place *place = match->place;

	while (place && match->missing) {
		const struct lookup_run *run =
			lookup_run(match->lookup, place, tier);

		if (run)
			try_run(match, run);
		place = lookup_above(match->lookup, place);
	}
}
