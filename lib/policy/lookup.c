/* SPDX-License-Identifier: ISC */
#include "policy/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "policy/agent.h"
#include "policy/group.h"

#define SLOTS_MIN 16

/*
 * FNV-1a.  Its step can be taken back, for PRIME is odd: so the hashes of all
 * classes above a name cost no more than the hash of the name does.
 */
#define BASIS UINT64_C(0xcbf29ce484222325)
#define PRIME UINT64_C(0x100000001b3)
#define PRIME_INVERSE UINT64_C(0xce965057aff6957b)

_Static_assert(PRIME *PRIME_INVERSE == 1, "steps can be taken back");

static uint64_t step(uint64_t hash, char c)
{
	return (hash ^ (unsigned char)c) * PRIME;
}

static uint64_t step_back(uint64_t hash, char c)
{
	return hash * PRIME_INVERSE ^ (unsigned char)c;
}

static uint64_t hash_of(struct span name)
{
	uint64_t hash = BASIS;
	size_t i;

	for (i = 0; i < name.len; i++)
		hash = step(hash, name.data[i]);
	return hash;
}

/* A class is another thing than the name that it starts with. */
static uint64_t mix(uint64_t hash, bool class)
{
	hash ^= class ? UINT64_C(0x9e3779b97f4a7c15) : 0;
	return hash ^ hash >> 29;
}

uint32_t lookup_name(struct span name)
{
	uint64_t hash = hash_of(name);

	return (uint32_t)(hash ^ hash >> 32) | 1;
}

/* ---- finding ------------------------------------------------------------ */

static bool same_action(struct rule_field a, struct rule_field b)
{
	return a.class == b.class && !a.name.data == !b.name.data &&
	       span_equal(a.name, b.name);
}

/* The slot that holds @action, or the free one where it would be. */
static struct lookup_slot *slot_of(const struct lookup *lookup, uint64_t hash,
				   struct rule_field action)
{
	size_t at = (size_t)mix(hash, action.class);
	uint32_t tag = (uint32_t)(mix(hash, action.class) >> 32);

	for (;; at++) {
		struct lookup_slot *slot =
			&lookup->slots[at & (lookup->slot_count - 1)];

		if (!slot->place)
			return slot;
		if (slot->tag == tag &&
		    same_action(lookup->places[slot->place - 1].action, action))
			return slot;
	}
}

static const struct lookup_place *number(const struct lookup *lookup,
					 uint32_t place)
{
	return place ? &lookup->places[place - 1] : NULL;
}

/* The place of "any", which is kept as a name without bytes. */
static uint32_t find_any(const struct lookup *lookup)
{
	return slot_of(lookup, BASIS, (struct rule_field){ .class = false })
		->place;
}

/* The nearest place that is wider than the name @name, whose hash is @hash. */
static uint32_t find_above(const struct lookup *lookup, struct span name,
			   uint64_t hash)
{
	uint32_t place;

	while (name.len) {
		char last = name.data[--name.len];

		hash = step_back(hash, last);
		if (last != '.')
			continue;
		place = slot_of(lookup, hash, (struct rule_field){ name, true })
				->place;
		if (place)
			return place;
	}
	return find_any(lookup);
}

const struct lookup_place *lookup_place(const struct lookup *lookup,
					struct rule_field action, bool above)
{
	uint64_t hash = hash_of(action.name);
	uint32_t place;

	if (!lookup || !lookup->place_count)
		return NULL;
	place = slot_of(lookup, hash, action)->place;
	if (!place && above && action.name.data)
		place = find_above(lookup, action.name, hash);
	return number(lookup, place);
}

const struct lookup_place *lookup_above(const struct lookup *lookup,
					const struct lookup_place *place)
{
	return number(lookup, place->above);
}

const struct lookup_run *lookup_run(const struct lookup *lookup,
				    const struct lookup_place *place,
				    unsigned int tier)
{
	const struct lookup_run *run = &lookup->runs[place->first];
	const struct lookup_run *end = run + place->count;

	for (; run < end && run->tier <= tier; run++)
		if (run->tier == tier)
			return run;
	return NULL;
}

/* ---- making: rules ------------------------------------------------------ */

static int compare_numbers(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_spans(struct span a, struct span b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.data, b.data, len) : 0;

	return order ? order : compare_numbers(a.len, b.len);
}

static int compare_actions(struct rule_field a, struct rule_field b)
{
	int order = compare_numbers(!!a.name.data, !!b.name.data);

	if (!order)
		order = compare_numbers(a.class, b.class);
	return order ? order : compare_spans(a.name, b.name);
}

/* By place and tier, and then the one that wins first; of rules that are as
 * good as each other, the one that was read last. */
static int by_place(const void *left, const void *right, void *context)
{
	const struct policy *policy = context;
	const struct policy_rule *a =
		&policy->rules[((const struct lookup_rule *)left)->number];
	const struct policy_rule *b =
		&policy->rules[((const struct lookup_rule *)right)->number];
	int order = compare_actions(a->action, b->action);

	if (!order)
		order = compare_numbers(a->tier, b->tier);
	if (order)
		return order;
	if (rule_better(a, b))
		return -1;
	return rule_better(b, a) ? 1 : compare_numbers((size_t)b, (size_t)a);
}

static uint32_t wanted(struct rule_field field)
{
	return field.name.data && !field.class ? lookup_name(field.name) : 0;
}

static bool is_bare(const struct policy_rule *rule)
{
	return !rule->attributes.count && !rule->tool.name.data &&
	       !rule->model.name.data && !rule->agent.name.data;
}

static void sort_rules(struct lookup *lookup, const struct policy *policy)
{
	size_t i;

	lookup->rule_count = policy->rule_count;
	lookup->rules = alloc_zero(policy->rule_count, sizeof(*lookup->rules));
	for (i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		lookup->rules[i] = (struct lookup_rule){
			.tool = wanted(rule->tool),
			.model = wanted(rule->model),
			.agent = wanted(rule->agent),
			.number = (uint32_t)i,
			.decision = (uint8_t)rule->decision,
			.bare = is_bare(rule),
		};
		if (lookup->rules[i].tool || lookup->rules[i].model ||
		    lookup->rules[i].agent)
			lookup->by_name = true;
	}
	qsort_r(lookup->rules, lookup->rule_count, sizeof(*lookup->rules),
		by_place, (void *)(uintptr_t)policy);
}

/* The next sorted rule, which is of the last place and run or starts one. */
static void add_sorted(struct lookup *lookup, const struct policy *policy,
		       size_t at)
{
	struct policy_rule *rule = &policy->rules[lookup->rules[at].number];
	struct lookup_place *place = &lookup->places[lookup->place_count];
	struct lookup_run *run = &lookup->runs[lookup->run_count];
	bool new_place = !lookup->place_count ||
			 !same_action(place[-1].action, rule->action);

	if (new_place) {
		*place = (struct lookup_place){
			.action = rule->action,
			.first = (uint32_t)lookup->run_count,
		};
		lookup->place_count++;
	}
	if (new_place || run[-1].tier != rule->tier) {
		*run = (struct lookup_run){ rule->tier, (uint32_t)at, 0, 0 };
		lookup->run_count++;
		lookup->places[lookup->place_count - 1].count++;
	} else {
		policy->rules[lookup->rules[at - 1].number].next =
			lookup->rules[at].number + 1;
	}
	lookup->runs[lookup->run_count - 1].count++;
	rule->next = 0;
}

/* At most half of the slots are taken. */
static void make_table(struct lookup *lookup)
{
	size_t i;

	lookup->slot_count = SLOTS_MIN;
	while (lookup->slot_count < lookup->place_count * 2)
		lookup->slot_count *= 2;
	lookup->slots = alloc_zero(lookup->slot_count, sizeof(*lookup->slots));
	for (i = 0; i < lookup->place_count; i++) {
		struct rule_field action = lookup->places[i].action;
		uint64_t hash = hash_of(action.name);

		*slot_of(lookup, hash, action) = (struct lookup_slot){
			(uint32_t)(mix(hash, action.class) >> 32),
			(uint32_t)i + 1,
		};
	}
	for (i = 0; i < lookup->place_count; i++) {
		struct lookup_place *place = &lookup->places[i];

		if (place->action.name.data)
			place->above = find_above(lookup, place->action.name,
						  hash_of(place->action.name));
	}
}

static void make_rules(struct lookup *lookup, const struct policy *policy)
{
	size_t i;

	if (!policy->rule_count)
		return;
	sort_rules(lookup, policy);
	lookup->places =
		alloc_zero(lookup->rule_count, sizeof(*lookup->places));
	lookup->runs = alloc_zero(lookup->rule_count, sizeof(*lookup->runs));
	for (i = 0; i < lookup->rule_count; i++)
		add_sorted(lookup, policy, i);
	make_table(lookup);
	group_make(lookup);
}

/* ---- agents ------------------------------------------------------------- */

static int by_kind(const void *left, const void *right, void *context)
{
	const struct policy *policy = context;
	const struct policy_agent *a = &policy->agents[*(const uint32_t *)left];
	const struct policy_agent *b =
		&policy->agents[*(const uint32_t *)right];
	int order = strcmp(a->kind, b->kind);

	return order ? order : compare_numbers(a->tier, b->tier);
}

static void make_agents(struct lookup *lookup, const struct policy *policy)
{
	size_t i, j;

	lookup->agents = NULL;
	lookup->agent_count = policy->agent_count;
	if (!policy->agent_count)
		return;
	lookup->agents =
		alloc_zero(policy->agent_count, sizeof(*lookup->agents));
	for (i = 0; i < policy->agent_count; i++) {
		lookup->agents[i] = (uint32_t)i;
		for (j = 0; j < i; j++)
			if (policy->agents[j].tier == policy->agents[i].tier)
				break;
		lookup->agent_lists += i == j;
	}
	qsort_r(lookup->agents, lookup->agent_count, sizeof(*lookup->agents),
		by_kind, (void *)(uintptr_t)policy);
}

const uint32_t *lookup_agents(const struct policy *policy, struct span kind,
			      size_t *count)
{
	const struct lookup *lookup = lookup_of(policy);
	size_t low = 0, high = lookup ? lookup->agent_count : 0;
	size_t end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *have = policy->agents[lookup->agents[middle]].kind;

		if (compare_spans(span_of(have), kind) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; lookup && end < lookup->agent_count; end++)
		if (!span_is(kind, policy->agents[lookup->agents[end]].kind))
			break;
	*count = end - low;
	return *count ? &lookup->agents[low] : NULL;
}

/* ---- its life ----------------------------------------------------------- */

static void release(struct lookup *lookup)
{
	free(lookup->rules);
	free(lookup->runs);
	free(lookup->places);
	free(lookup->slots);
	group_drop(lookup);
	free(lookup->agents);
	*lookup = (struct lookup){ .made = false };
}

void lookup_touch(struct policy *policy)
{
	if (!policy->lookup)
		policy->lookup = alloc_zero(1, sizeof(*policy->lookup));
	policy->lookup->made = false;
}

void lookup_drop(struct policy *policy)
{
	if (policy->lookup)
		release(policy->lookup);
	free(policy->lookup);
	policy->lookup = NULL;
}

const struct lookup *lookup_of(const struct policy *policy)
{
	struct lookup *lookup = policy->lookup;

	if (!lookup || lookup->made)
		return lookup;
	release(lookup);
	make_rules(lookup, policy);
	make_agents(lookup, policy);
	lookup->made = true;
	return lookup;
}
