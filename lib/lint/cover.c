/* SPDX-License-Identifier: ISC */
#include "lint/cover.h"

#include "base/buf.h"
#include "policy/action.h"
#include "policy/glob.h"
#include "policy/network.h"
#include "policy/rule.h"

/* ---- fields ------------------------------------------------------------- */

static bool is_below(struct span name, struct span class)
{
	return name.len > class.len && name.data[class.len] == '.' &&
	       !memcmp(name.data, class.data, class.len);
}

static bool field_covers(struct rule_field wide, struct rule_field narrow)
{
	if (!wide.name.data)
		return true;
	if (!narrow.name.data)
		return false;
	if (!wide.class)
		return !narrow.class && span_equal(wide.name, narrow.name);
	return is_below(narrow.name, wide.name) ||
	       (narrow.class && span_equal(wide.name, narrow.name));
}

/* Two names or classes have nothing in common or one is within the other. */
static bool field_meets(struct rule_field a, struct rule_field b)
{
	return field_covers(a, b) || field_covers(b, a);
}

/* ---- attributes --------------------------------------------------------- */

/* How far the ranges of @wide go on from @port without a gap; @port itself if
 * none of them has it. */
static unsigned int goes_on(const struct attributes *wide, unsigned int port)
{
	size_t i;

	for (i = 0; i < wide->port_count; i++)
		if (wide->ports[i].first <= port && wide->ports[i].last >= port)
			return wide->ports[i].last + 1U;
	return port;
}

/* Whether the ranges of @wide, taken together, have all of @range. */
static bool has_range(const struct attributes *wide, struct port_range range)
{
	unsigned int next = range.first;
	unsigned int after = goes_on(wide, next);

	while (after > next && after <= range.last) {
		next = after;
		after = goes_on(wide, next);
	}
	return after > range.last;
}

static bool ports_cover(const struct attributes *wide,
			const struct attributes *narrow)
{
	size_t i;

	if (!wide->port_count)
		return true;
	for (i = 0; i < narrow->port_count; i++)
		if (!has_range(wide, narrow->ports[i]))
			return false;
	return narrow->port_count > 0;
}

static bool ports_meet(const struct attributes *a, const struct attributes *b)
{
	size_t i, j;

	for (i = 0; i < a->port_count; i++)
		for (j = 0; j < b->port_count; j++)
			if (a->ports[i].first <= b->ports[j].last &&
			    b->ports[j].first <= a->ports[i].last)
				return true;
	return !a->port_count || !b->port_count;
}

static bool has_network(const struct attributes *wide,
			const struct network *network)
{
	size_t i;

	for (i = 0; i < wide->network_count; i++)
		if (wide->networks[i].bits <= network->bits &&
		    network_has(&wide->networks[i], network->address))
			return true;
	return false;
}

static bool networks_cover(const struct attributes *wide,
			   const struct attributes *narrow)
{
	size_t i;

	if (!wide->network_count)
		return true;
	for (i = 0; i < narrow->network_count; i++)
		if (!has_network(wide, &narrow->networks[i]))
			return false;
	return narrow->network_count > 0;
}

/* A list of words, none of which is to say that any will do. */
struct list {
	const struct span *words;
	size_t count;
};

static bool has_word(struct list list, struct span word)
{
	size_t i;

	for (i = 0; i < list.count; i++)
		if (span_equal(list.words[i], word))
			return true;
	return false;
}

static bool list_covers(struct list wide, struct list narrow)
{
	size_t i;

	if (!wide.count)
		return true;
	for (i = 0; i < narrow.count; i++)
		if (!has_word(wide, narrow.words[i]))
			return false;
	return narrow.count > 0;
}

static bool list_meets(struct list a, struct list b)
{
	size_t i;

	for (i = 0; i < a.count; i++)
		if (has_word(b, a.words[i]))
			return true;
	return !a.count || !b.count;
}

static struct list protos(const struct policy_rule *rule)
{
	return (struct list){ rule->attributes.protos,
			      rule->attributes.proto_count };
}

static struct list methods(const struct policy_rule *rule)
{
	return (struct list){ rule->attributes.methods,
			      rule->attributes.method_count };
}

static bool path_covers(const struct policy_rule *wide,
			const struct policy_rule *narrow)
{
	autobuf struct buf own = { 0 };
	struct span pattern = wide->attributes.path;

	if (!pattern.data)
		return true;
	/* Where the action is a path, all questions about it carry that one. */
	if (narrow->action.name.data && !narrow->action.class &&
	    action_path(&own, narrow->action.name) &&
	    glob_match(pattern, buf_span(&own)))
		return true;
	return narrow->attributes.path.data &&
	       glob_covers(pattern, narrow->attributes.path);
}

/* What a rule says of a flag: it must be set, must not be, or may be. */
enum wanted { WANTED_SET, WANTED_UNSET, WANTED_EITHER };

static enum wanted wanted(const struct policy_rule *rule, bool flag)
{
	if (flag)
		return WANTED_SET;
	return rule->decision == DECISION_ALLOW ? WANTED_UNSET : WANTED_EITHER;
}

static bool flag_covers(enum wanted wide, enum wanted narrow)
{
	return wide == WANTED_EITHER || wide == narrow;
}

static bool flag_meets(enum wanted a, enum wanted b)
{
	return flag_covers(a, b) || flag_covers(b, a);
}

static bool too_long(const struct attributes *attributes)
{
	return attributes->port_count > COVER_ITEMS_MAX ||
	       attributes->network_count > COVER_ITEMS_MAX ||
	       attributes->proto_count > COVER_ITEMS_MAX ||
	       attributes->method_count > COVER_ITEMS_MAX;
}

/* ---- rules -------------------------------------------------------------- */

static bool flags_cover(const struct policy_rule *wide,
			const struct policy_rule *narrow)
{
	const struct attributes *a = &wide->attributes;
	const struct attributes *b = &narrow->attributes;

	return flag_covers(wanted(wide, a->websocket),
			   wanted(narrow, b->websocket)) &&
	       flag_covers(wanted(wide, a->cleartext),
			   wanted(narrow, b->cleartext));
}

static bool attributes_cover(const struct policy_rule *wide,
			     const struct policy_rule *narrow)
{
	const struct attributes *a = &wide->attributes;
	const struct attributes *b = &narrow->attributes;

	if (too_long(a) || too_long(b))
		return attributes_equal(a, b);
	return ports_cover(a, b) && networks_cover(a, b) &&
	       list_covers(protos(wide), protos(narrow)) &&
	       list_covers(methods(wide), methods(narrow)) &&
	       path_covers(wide, narrow);
}

bool rule_covers(const struct policy_rule *wide,
		 const struct policy_rule *narrow)
{
	return field_covers(wide->action, narrow->action) &&
	       field_covers(wide->tool, narrow->tool) &&
	       field_covers(wide->model, narrow->model) &&
	       field_covers(wide->agent, narrow->agent) &&
	       flags_cover(wide, narrow) && attributes_cover(wide, narrow);
}

bool rule_meets(const struct policy_rule *a, const struct policy_rule *b)
{
	const struct attributes *of_a = &a->attributes;
	const struct attributes *of_b = &b->attributes;

	if (!field_meets(a->action, b->action) ||
	    !field_meets(a->tool, b->tool) ||
	    !field_meets(a->model, b->model) ||
	    !field_meets(a->agent, b->agent) ||
	    !flag_meets(wanted(a, of_a->websocket),
			wanted(b, of_b->websocket)) ||
	    !flag_meets(wanted(a, of_a->cleartext), wanted(b, of_b->cleartext)))
		return false;
	if (too_long(of_a) || too_long(of_b))
		return true;
	return ports_meet(of_a, of_b) && list_meets(protos(a), protos(b)) &&
	       list_meets(methods(a), methods(b));
}
