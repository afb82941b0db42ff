/* SPDX-License-Identifier: ISC */
#include "policy/group.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "policy/lookup.h"

/* A run is known by where its rules start. */
static uint64_t hash_names(uint32_t first, const struct lookup_rule *names)
{
	const uint32_t words[] = { first, names->tool, names->model,
				   names->agent };
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

/* The slot of the group of @names in @run, or the free one for it. */
static struct lookup_group *slot_of(const struct lookup *lookup,
				    const struct lookup_run *run,
				    const struct lookup_rule *names)
{
	uint64_t hash = hash_names(run->first, names);
	uint32_t tag = (uint32_t)(hash >> 32);
	size_t at = (size_t)hash;

	for (;; at++) {
		struct lookup_group *slot =
			&lookup->groups[at & (lookup->group_slots - 1)];
		const struct lookup_rule *rule;

		if (!slot->first)
			return slot;
		rule = &lookup->rules[slot->first - 1];
		if (slot->tag == tag &&
		    slot->first - 1 - run->first < run->count &&
		    rule->tool == names->tool && rule->model == names->model &&
		    rule->agent == names->agent)
			return slot;
	}
}

const struct lookup_rule *group_first(const struct lookup *lookup,
				      const struct lookup_run *run,
				      const struct lookup_rule *names)
{
	uint32_t first = slot_of(lookup, run, names)->first;

	return first ? &lookup->rules[first - 1] : NULL;
}

const struct lookup_rule *group_next(const struct lookup *lookup,
				     const struct lookup_rule *rule)
{
	uint32_t next = lookup->peers[rule - lookup->rules];

	return next ? &lookup->rules[next - 1] : NULL;
}

/* ---- making ------------------------------------------------------------- */

static unsigned int kind_of(const struct lookup_rule *rule)
{
	return (rule->tool ? GROUP_TOOL : 0) | (rule->model ? GROUP_MODEL : 0) |
	       (rule->agent ? GROUP_AGENT : 0);
}

/* From the last rule to the first, so that each comes before its peers. */
static void add_run(struct lookup *lookup, struct lookup_run *run)
{
	uint32_t at = run->first + run->count;

	while (at-- > run->first) {
		const struct lookup_rule *rule = &lookup->rules[at];
		struct lookup_group *slot = slot_of(lookup, run, rule);

		lookup->peers[at] = slot->first;
		slot->first = at + 1;
		slot->tag = (uint32_t)(hash_names(run->first, rule) >> 32);
		run->kinds |= (uint8_t)(1U << kind_of(rule));
	}
}

/* At most half of the slots are taken. */
void group_make(struct lookup *lookup)
{
	size_t in_groups = 0;
	size_t i;

	for (i = 0; i < lookup->run_count; i++)
		if (lookup->runs[i].count > GROUP_RUN_MAX)
			in_groups += lookup->runs[i].count;
	if (!in_groups)
		return;
	lookup->group_slots = 1;
	while (lookup->group_slots < in_groups * 2)
		lookup->group_slots *= 2;
	lookup->groups =
		alloc_zero(lookup->group_slots, sizeof(*lookup->groups));
	lookup->peers = alloc_zero(lookup->rule_count, sizeof(*lookup->peers));
	for (i = 0; i < lookup->run_count; i++)
		if (lookup->runs[i].count > GROUP_RUN_MAX)
			add_run(lookup, &lookup->runs[i]);
}

void group_drop(struct lookup *lookup)
{
	free(lookup->groups);
	free(lookup->peers);
}
