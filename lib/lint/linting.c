/* SPDX-License-Identifier: ISC */
#include "lint/linting.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "lint/cover.h"

/* ---- order -------------------------------------------------------------- */

/* The place of a rule among the sorted ones; "any" comes first in its tier. */
struct key {
	unsigned int tier;
	struct span name;
	bool class;
};

static struct key key_of(const struct policy_rule *rule)
{
	return (struct key){ rule->tier, rule->action.name,
			     rule->action.class };
}

static int compare_names(struct span a, struct span b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.data, b.data, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_keys(struct key a, struct key b)
{
	int order = (a.tier > b.tier) - (a.tier < b.tier);

	if (!order)
		order = compare_names(a.name, b.name);
	return order ? order : a.class - b.class;
}

/* Equal ones stay as they were written: their addresses are in order. */
static int compare_rules(const void *a, const void *b)
{
	const struct policy_rule *const *left = a;
	const struct policy_rule *const *right = b;
	int order = compare_keys(key_of(*left), key_of(*right));

	return order ? order : (*left > *right) - (*left < *right);
}

void linting_sort(struct linting *linting)
{
	size_t count = linting->policy->rule_count;
	size_t i;

	linting->sorted = alloc_zero(count + 1, sizeof(*linting->sorted));
	for (i = 0; i < count; i++)
		linting->sorted[i] = &linting->policy->rules[i];
	qsort(linting->sorted, count, sizeof(*linting->sorted), compare_rules);
}

void linting_drop(struct linting *linting)
{
	free(linting->sorted);
	linting->sorted = NULL;
}

/* The first sorted rule that is not before @key; with @behind, that is behind
 * all that are equal to it. */
static const struct policy_rule *const *from(const struct linting *linting,
					     struct key key, bool behind)
{
	size_t low = 0, high = linting->policy->rule_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(key_of(linting->sorted[middle]), key) < behind)
			low = middle + 1;
		else
			high = middle;
	}
	return linting->sorted + low;
}

struct rule_range linting_same(const struct linting *linting, unsigned int tier,
			       struct rule_field action)
{
	struct key key = { tier, action.name, action.class };

	return (struct rule_range){ from(linting, key, false),
				    from(linting, key, true) };
}

/* The rules of @tier whose action is below that of @class, or is any. */
static struct rule_range below(const struct linting *linting, unsigned int tier,
			       struct rule_field class)
{
	struct key first = { tier, { NULL, 0 }, false };
	struct key last = { tier + 1, { NULL, 0 }, false };
	autobuf struct buf start = { 0 };
	autobuf struct buf end = { 0 };

	if (class.name.data && !class.class)
		return (struct rule_range){ NULL, NULL };
	if (class.name.data) {
		buf_add(&start, class.name);
		buf_addc(&start, '.');
		buf_add(&end, class.name);
		buf_addc(&end, '.' + 1);
		first.name = buf_span(&start);
		last = (struct key){ tier, buf_span(&end), false };
	}
	return (struct rule_range){ from(linting, first, false),
				    from(linting, last, false) };
}

/* ---- comparing ---------------------------------------------------------- */

bool linting_may_compare(struct linting *linting)
{
	return ++linting->compared <= LINT_COMPARED_MAX;
}

const struct policy_rule *linting_covering(struct linting *linting,
					   unsigned int tier,
					   const struct policy_rule *rule)
{
	struct rule_field action = rule->action;
	const struct policy_rule *best = NULL;

	do {
		struct rule_range range = linting_same(linting, tier, action);

		for (; range.first < range.end; range.first++) {
			const struct policy_rule *other = *range.first;

			if (!linting_may_compare(linting))
				return NULL;
			if (other != rule && rule_covers(other, rule) &&
			    (!best || rule_better(other, best)))
				best = other;
		}
	} while (rule_widen(&action));
	return best;
}

/* Whether a rule of @range may be the one that answers @rule's question, and
 * answers no more strictly than it. */
static bool may_permit(struct linting *linting, struct rule_range range,
		       const struct policy_rule *rule,
		       const struct policy_rule *best)
{
	for (; range.first < range.end; range.first++) {
		const struct policy_rule *other = *range.first;

		if (!linting_may_compare(linting))
			return true;
		if (other->decision <= rule->decision &&
		    !(best && rule_better(best, other)) &&
		    rule_meets(other, rule))
			return true;
	}
	return false;
}

struct reach linting_reach(struct linting *linting, unsigned int tier,
			   const struct policy_rule *rule)
{
	struct rule_field action = rule->action;
	struct reach reach = { .stricter = true };

	reach.best = linting_covering(linting, tier, rule);
	reach.always = reach.best != NULL;
	do {
		struct rule_range range = linting_same(linting, tier, action);

		if (may_permit(linting, range, rule, reach.best))
			reach.stricter = false;
	} while (reach.stricter && rule_widen(&action));
	if (reach.stricter &&
	    may_permit(linting, below(linting, tier, rule->action), rule,
		       reach.best))
		reach.stricter = false;
	return reach;
}
