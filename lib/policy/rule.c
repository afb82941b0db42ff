/* SPDX-License-Identifier: ISC */
#include "policy/rule.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "policy/lookup.h"

/* ---- finding ------------------------------------------------------------ */

const struct policy_rule *rule_first(const struct policy *policy,
				     unsigned int tier,
				     struct rule_field action)
{
	const struct lookup *lookup = lookup_of(policy);
	const struct lookup_place *place = lookup_place(lookup, action, false);
	const struct lookup_run *run = place ? lookup_run(lookup, place, tier)
					     : NULL;

	return run ? &policy->rules[lookup->rules[run->first].number] : NULL;
}

const struct policy_rule *rule_next(const struct policy *policy,
				    const struct policy_rule *rule)
{
	(void)lookup_of(policy);
	return rule->next ? &policy->rules[rule->next - 1] : NULL;
}

bool rule_widen(struct rule_field *action)
{
	size_t len = action->name.len;

	if (!action->name.data)
		return false;
	while (len && action->name.data[len - 1] != '.')
		len--;
	if (len)
		*action = (struct rule_field){ { action->name.data, len - 1 },
					       true };
	else
		*action = (struct rule_field){ .class = false };
	return true;
}

/* ---- naming ------------------------------------------------------------- */

void rule_name(struct buf *name, const struct policy_rule *rule)
{
	if (rule->layer == POLICY_DEFAULTS) {
		buf_addf(name, "default:%u", rule->origin.line);
		return;
	}
	if (rule->layer == POLICY_CEILING)
		buf_adds(name, "ceiling:");
	buf_adds(name, rule->origin.file);
	buf_addf(name, ":%u", rule->origin.line);
}

const char *rule_layer_word(enum policy_layer layer)
{
	static const char *const words[POLICY_LAYERS] = {
		[POLICY_COMMAND] = "command",   [POLICY_PROJECT] = "project",
		[POLICY_OPERATOR] = "operator", [POLICY_DEFAULTS] = "default",
		[POLICY_CEILING] = "ceiling",
	};

	return words[layer];
}

/* ---- comparing ---------------------------------------------------------- */

bool rule_field_fits(struct rule_field field, struct span name)
{
	if (!field.name.data)
		return true;
	if (!name.data || name.len < field.name.len ||
	    memcmp(name.data, field.name.data, field.name.len) != 0)
		return false;
	if (!field.class)
		return name.len == field.name.len;
	return name.len > field.name.len && name.data[field.name.len] == '.';
}

/* How exact a field is: absent, then classes by their segments, then names. */
static size_t weight(struct rule_field field)
{
	size_t segments = 1;
	size_t i;

	if (!field.name.data)
		return 0;
	if (!field.class)
		return SIZE_MAX;
	for (i = 0; i < field.name.len; i++)
		segments += field.name.data[i] == '.';
	return segments;
}

static int compare(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

const char *rule_better(const struct policy_rule *a,
			const struct policy_rule *b)
{
	const struct {
		const char *name;
		int order;
	} steps[] = {
		{ "action", compare(weight(a->action), weight(b->action)) },
		{ "attributes",
		  compare(a->attributes.count, b->attributes.count) },
		{ "tool", compare(weight(a->tool), weight(b->tool)) },
		{ "model", compare(weight(a->model), weight(b->model)) },
		{ "agent", compare(weight(a->agent), weight(b->agent)) },
		{ "decision", compare(a->decision, b->decision) },
	};
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i].order)
			return steps[i].order > 0 ? steps[i].name : NULL;
	return NULL;
}

void rule_add(struct policy *policy, const struct policy_rule *rule)
{
	policy->rules = alloc_array(policy->rules, policy->rule_count,
				    sizeof(*policy->rules));
	policy->rules[policy->rule_count++] = *rule;
	lookup_touch(policy);
}
