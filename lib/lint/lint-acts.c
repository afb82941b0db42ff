/* SPDX-License-Identifier: ISC */
/* Rules whose action is not what they take it for. */
#include "base/buf.h"
#include "lint/carries.h"
#include "lint/linting.h"
#include "lint/suffix.h"
#include "policy/action.h"
#include "policy/agent.h"
#include "policy/glob.h"
#include "policy/tell.h"

static void add(struct linting *linting, enum lint_kind kind,
		const struct policy_rule *rule, const char *what)
{
	autobuf struct buf text = { 0 };

	buf_addc(&text, '\'');
	tell_rule(&text, rule);
	buf_addf(&text, "' %s", what);
	lint_add(linting->lint, kind, &rule->origin, &text);
}

/* ---- what never comes --------------------------------------------------- */

static bool is_reserved(const struct policy_rule *rule)
{
	const struct action_space *space;

	if (!rule->action.name.data || policy_is_shipped(&rule->origin))
		return false;
	space = rule->action.class ? action_space_above(rule->action.name)
				   : action_space(rule->action.name);
	return space && space->reserved;
}

/* One note a file: the rules of a file stand together. */
static void note_reserved(struct linting *linting)
{
	const struct policy_rule *rule = linting->policy->rules;
	const struct policy_rule *end = rule + linting->policy->rule_count;

	while (rule < end) {
		const struct policy_rule *first = NULL;
		const char *file = rule->origin.file;
		autobuf struct buf more = { 0 };
		size_t count = 0;

		for (; rule < end && rule->origin.file == file; rule++) {
			if (!is_reserved(rule))
				continue;
			first = first ? first : rule;
			count++;
		}
		if (count > 1)
			buf_addf(&more, "and %zu more of this file ",
				 count - 1);
		buf_adds(&more, count > 1 ? "name what is reserved: "
					  : "names what is reserved: ");
		buf_adds(&more,
			 "nothing in this version asks for it by itself");
		if (first)
			add(linting, LINT_RESERVED, first, buf_str(&more));
	}
}

static void check_carried(struct linting *linting,
			  const struct policy_rule *rule)
{
	const char *missing = carries_missing(rule);
	autobuf struct buf text = { 0 };

	if (!missing)
		return;
	buf_adds(&text, "never matches: no question about '");
	buf_add_plain(&text, rule->action.name);
	buf_addf(&text, "%s' carries what '%s' wants",
		 rule->action.class ? ".*" : "", missing);
	add(linting, LINT_NEVER_CARRIED, rule, buf_str(&text));
}

static void check_matches(struct linting *linting,
			  const struct policy_rule *rule)
{
	autobuf struct buf own = { 0 };
	struct span pattern = rule->attributes.path;

	if (pattern.data && rule->action.name.data && !rule->action.class &&
	    action_path(&own, rule->action.name) &&
	    !glob_match(pattern, buf_span(&own)))
		add(linting, LINT_NEVER_MATCHES, rule,
		    "never matches: its path is another than its action's");
	if (rule->agent.name.data && !rule->agent.class &&
	    !agent_known(linting->policy, rule->agent.name))
		add(linting, LINT_NEVER_MATCHES, rule,
		    "never matches: an agent that is not declared is denied "
		    "before any rule is asked");
}

/* ---- what allows more than it seems to ---------------------------------- */

/* The host, reversed, that a class of hosts is below; without data: none. */
static struct span host_of(struct rule_field action)
{
	static const char *const spaces[] = { "net.connect.", "net.http.",
					      "net.fetch.",
					      "secret.password." };
	struct span host = { NULL, 0 };
	size_t i;

	for (i = 0; action.class && i < sizeof(spaces) / sizeof(*spaces); i++)
		if (span_starts(action.name, spaces[i]))
			host = span_from(action.name, strlen(spaces[i]));
	return span_is(host, "ip") ? (struct span){ NULL, 0 } : host;
}

static void check_suffix(struct linting *linting,
			 const struct policy_rule *rule)
{
	struct span host = host_of(rule->action);
	autobuf struct buf example = { 0 };
	autobuf struct buf text = { 0 };
	enum suffix_kind kind;

	if (!host.len || rule->decision >= DECISION_ASK)
		return;
	kind = suffix_kind(linting->suffixes, host, &example);
	if (kind == SUFFIX_NONE)
		return;
	buf_adds(&text, "opens hosts of anybody: ");
	if (kind == SUFFIX_ITSELF)
		suffix_add_host(&text, host);
	else
		buf_add(&text, buf_span(&example));
	buf_adds(&text, kind == SUFFIX_ITSELF
				? " is a public suffix"
				: ", which is below it, is a public suffix");
	add(linting, LINT_PUBLIC_SUFFIX, rule, buf_str(&text));
}

/* Whether @rule answers for the act @name, which nothing in its tier names. */
static bool answers_for(struct linting *linting, const struct policy_rule *rule,
			const char *name, const char *class)
{
	struct rule_field exact = { span_of(name), false };
	struct rule_range named;

	if (span_equal(rule->action.name, exact.name))
		return !rule->action.class;
	if (!rule->action.class || !span_is(rule->action.name, class))
		return false;
	named = linting_same(linting, rule->tier, exact);
	return named.first == named.end;
}

/* Only what is allowed whoever asks, and whatever they carry. */
static void check_allowed(struct linting *linting,
			  const struct policy_rule *rule)
{
	if (rule->decision != DECISION_ALLOW || rule->tool.name.data ||
	    rule->model.name.data || rule->agent.name.data ||
	    rule->attributes.count)
		return;
	if (!rule->action.name.data)
		add(linting, LINT_ALLOWS_ALL, rule,
		    "allows every act that its layer does not name");
	if (answers_for(linting, rule, "exec.unparsed", "exec"))
		add(linting, LINT_ALLOWS_UNPARSED, rule,
		    "allows exec.unparsed, which is every command that could "
		    "not be read");
	if (answers_for(linting, rule, "policy.widen", "policy"))
		add(linting, LINT_ALLOWS_WIDENING, rule,
		    "lets an agent lift what it is held to");
}

void lint_acts(struct linting *linting)
{
	size_t i;

	note_reserved(linting);
	for (i = 0; i < linting->policy->rule_count; i++) {
		const struct policy_rule *rule = &linting->policy->rules[i];

		check_carried(linting, rule);
		check_matches(linting, rule);
		if (rule->layer >= POLICY_DEFAULTS)
			continue;
		check_suffix(linting, rule);
		check_allowed(linting, rule);
	}
}
