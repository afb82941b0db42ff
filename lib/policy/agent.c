/* SPDX-License-Identifier: ISC */
#include "policy/agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/nearest.h"
#include "base/why.h"
#include "policy/lookup.h"
#include "policy/rule.h"
#include "policy/words.h"

/* The list that @tier adds to: all layers share one. */
static unsigned int list_of(unsigned int tier)
{
	return tier < POLICY_CEILING ? 0 : tier;
}

static const struct policy_agent *find(const struct policy *policy,
				       struct span kind)
{
	size_t count;
	const uint32_t *numbers = lookup_agents(policy, kind, &count);

	return count ? &policy->agents[numbers[0]] : NULL;
}

/* Whether @kind is in the list @list already; while lists still grow. */
static const struct policy_agent *taken(const struct policy *policy,
					unsigned int list, const char *kind)
{
	size_t i;

	for (i = 0; i < policy->agent_count; i++)
		if (policy->agents[i].tier == list &&
		    !strcmp(policy->agents[i].kind, kind))
			return &policy->agents[i];
	return NULL;
}

static int check_kind(const struct words *words, size_t index, struct why *why)
{
	const char *kind = words->word[index];

	if (!kind)
		return words_wrong(words, index, why,
				   "it is written: agent KIND [parent KIND]");
	if (strlen(kind) > POLICY_LABEL_MAX)
		return words_wrong(words, index, why,
				   "a kind longer than %d bytes",
				   POLICY_LABEL_MAX);
	if (strchr(kind, '*'))
		return words_wrong(words, index, why,
				   "a kind with a '*' in it");
	return 0;
}

static int check_shape(const struct words *words, struct why *why)
{
	int r = check_kind(words, 1, why);

	if (r < 0 || words->count == 2)
		return r;
	if (strcmp(words->word[2], "parent") != 0)
		return words_wrong(words, 2, why,
				   "'%s' where 'parent' can stand",
				   words->word[2]);
	r = check_kind(words, 3, why);
	if (r < 0 || words->count == 4)
		return r;
	return words_wrong(words, 4, why, "a word too many");
}

static int check_again(const struct policy_agent *old,
		       const struct policy_agent *new,
		       const struct words *words, struct why *why)
{
	bool same = !old->parent == !new->parent &&
		    (!old->parent || !strcmp(old->parent, new->parent));

	if (!same)
		return words_wrong(words, 1, why,
				   "the agent '%s' has another parent at "
				   "%s:%u",
				   new->kind, old->origin.file,
				   old->origin.line);
	if (!strcmp(old->origin.file, new->origin.file))
		return words_wrong(words, 1, why,
				   "the agent '%s' is declared on line %u",
				   new->kind, old->origin.line);
	return 0;
}

int agent_take(struct policy *policy, const struct words *words,
	       unsigned int tier, struct why *why)
{
	const struct policy_agent *old;
	struct policy_agent agent = {
		.kind = words->word[1],
		.origin = words_origin(words, 0),
		.tier = list_of(tier),
		.layer = tier < POLICY_CEILING ? (enum policy_layer)tier
					       : POLICY_CEILING,
	};
	int r;

	r = check_shape(words, why);
	if (r < 0)
		return r;
	if (words->count == 4)
		agent.parent = words->word[3];
	old = taken(policy, agent.tier, agent.kind);
	if (old) {
		r = check_again(old, &agent, words, why);
		if (r < 0)
			return r;
	}
	if (policy->agent_count == AGENTS_MAX)
		return words_wrong(words, 0, why, "more than %d agents",
				   AGENTS_MAX);
	policy->agents = alloc_array(policy->agents, policy->agent_count,
				     sizeof(*policy->agents));
	policy->agents[policy->agent_count++] = agent;
	lookup_touch(policy);
	return 0;
}

static int undeclared(const struct policy *policy, struct policy_origin origin,
		      struct span kind, struct why *why)
{
	autofree const char **kinds =
		alloc_zero(policy->agent_count, sizeof(*kinds));
	char near[NEAREST_ROOM];
	size_t i;

	for (i = 0; i < policy->agent_count; i++)
		kinds[i] = policy->agents[i].kind;
	return why_set(why, EINVAL, "%s:%u:%u: no agent '%.*s' is declared%s",
		       origin.file, origin.line, origin.column, (int)kind.len,
		       kind.data,
		       nearest_clause(near, kind, kinds, policy->agent_count));
}

/* Follows the parents of @agent up; they must end. */
static int check_parents(const struct policy *policy,
			 const struct policy_agent *agent, struct why *why)
{
	const struct policy_agent *above = agent;
	size_t steps;

	for (steps = 0; above->parent; steps++) {
		struct span parent = span_of(above->parent);

		above = find(policy, parent);
		if (!above)
			return undeclared(policy, agent->origin, parent, why);
		if (steps == policy->agent_count)
			return why_set(why, EINVAL,
				       "%s:%u:%u: the agent '%s' is above "
				       "itself",
				       agent->origin.file, agent->origin.line,
				       agent->origin.column, agent->kind);
	}
	return 0;
}

int agent_check(const struct policy *policy, size_t first_agent,
		size_t first_rule, struct why *why)
{
	size_t i;
	int r;

	if (first_agent == policy->agent_count)
		return 0;
	for (i = first_agent; i < policy->agent_count; i++) {
		r = check_parents(policy, &policy->agents[i], why);
		if (r < 0)
			return r;
	}
	for (i = first_rule; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		if (rule->agent.name.data && !rule->agent.class &&
		    !find(policy, rule->agent.name))
			return undeclared(policy, rule->origin,
					  rule->agent.name, why);
	}
	return 0;
}

/* The lists that are not empty must all have it; its numbers are by list. */
bool agent_known(const struct policy *policy, struct span kind)
{
	const uint32_t *numbers;
	size_t count, i, lists = 0;

	if (!policy->agent_count)
		return true;
	numbers = lookup_agents(policy, kind, &count);
	for (i = 0; i < count; i++)
		if (!i || policy->agents[numbers[i]].tier !=
				  policy->agents[numbers[i - 1]].tier)
			lists++;
	return lists == lookup_of(policy)->agent_lists;
}
