/* SPDX-License-Identifier: ISC */
#include "policy/twice.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "policy/lookup.h"

/* A rule by what it says. */
struct said {
	uint64_t hash;
	const struct policy_rule *rule;
};

static uint64_t hash_field(uint64_t hash, struct rule_field field)
{
	uint64_t of = field.name.data ? lookup_name(field.name) : 0;

	return (hash + of * 2 + field.class) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t hash_rule(const struct policy_rule *rule)
{
	uint64_t hash = attributes_hash(&rule->attributes) + rule->decision;

	hash = hash_field(hash, rule->action);
	hash = hash_field(hash, rule->tool);
	hash = hash_field(hash, rule->model);
	return hash_field(hash, rule->agent);
}

static bool same_field(struct rule_field a, struct rule_field b)
{
	return a.class == b.class && !a.name.data == !b.name.data &&
	       span_equal(a.name, b.name);
}

static bool same_rule(const struct policy_rule *a, const struct policy_rule *b)
{
	return a->decision == b->decision && same_field(a->action, b->action) &&
	       same_field(a->tool, b->tool) && same_field(a->model, b->model) &&
	       same_field(a->agent, b->agent) &&
	       attributes_equal(&a->attributes, &b->attributes);
}

static int by_hash(const void *left, const void *right)
{
	const struct said *a = left;
	const struct said *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->rule > b->rule) - (a->rule < b->rule);
}

/* Whether @again says what one before it in the array does.  A hash that many
 * share is found by whoever wants it: then only neighbours are compared. */
static bool is_second(const struct said *said, size_t again)
{
	return again && said[again].hash == said[again - 1].hash &&
	       same_rule(said[again].rule, said[again - 1].rule);
}

int twice_check(const struct policy *policy, size_t first, const char *file,
		struct why *why)
{
	autofree struct said *said =
		alloc_zero(policy->rule_count - first + 1, sizeof(*said));
	const struct said *found = NULL;
	const struct policy_origin *at;
	size_t count = 0, i;

	for (i = first; i < policy->rule_count; i++)
		if (policy->rules[i].origin.file == file)
			said[count++] =
				(struct said){ hash_rule(&policy->rules[i]),
					       &policy->rules[i] };
	qsort(said, count, sizeof(*said), by_hash);
	for (i = 1; i < count; i++)
		if (is_second(said, i) &&
		    (!found || said[i].rule < found->rule))
			found = &said[i];
	if (!found)
		return 0;
	at = &found->rule->origin;
	return why_set(why, EINVAL, "%s:%u:%u: the same rule as on line %u",
		       at->file, at->line, at->column,
		       found[-1].rule->origin.line);
}
