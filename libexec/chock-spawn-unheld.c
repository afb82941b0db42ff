/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that says which rules of the policies it does not hold
 *
 * What a sandbox is made of are grants and limits.  Of rules it asks for its
 * own acts alone, and whoever wrote another one has to know that it is not held
 * here.
 */

#include "base/buf.h"
#include "base/report.h"
#include "chock-spawn.h"
#include "policy/pool.h"
#include "policy/rule.h"

#define NAMED_MAX 3 /* actions that one line names */

static bool is_of_net(struct span action)
{
	return span_is(span_cut(&action, '.'), "net");
}

/* Who names a shipped policy can do nothing about it, and where there is no
 * network none is reached. */
static bool is_unheld(const struct spawn *spawn, const struct policy_rule *rule)
{
	if (rule->decision == DECISION_ALLOW ||
	    policy_is_shipped(&rule->origin))
		return false;
	if (!rule->action.name.data)
		return true;
	return !policy_answers(&spawn->policy, rule->action.name) &&
	       (spawn->sandbox.net == NET_HOST ||
		!is_of_net(rule->action.name));
}

static void add_action(struct buf *text, const struct policy_rule *rule)
{
	if (!rule->action.name.data)
		buf_adds(text, "any");
	buf_add(text, rule->action.name);
	if (rule->action.class)
		buf_adds(text, ".*");
}

/* For the report; the words live as long as the policy. */
static void keep(struct spawn *spawn, const struct policy_rule *rule)
{
	struct sandbox *sandbox = &spawn->sandbox;
	autobuf struct buf name = { 0 };
	autobuf struct buf action = { 0 };

	if (sandbox->unheld_count++ >= SANDBOX_UNHELD_MAX)
		return;
	rule_name(&name, rule);
	add_action(&action, rule);
	sandbox->unheld[sandbox->unheld_count - 1] = (struct sandbox_unheld){
		.rule = pool_keep(&spawn->policy.memory, buf_span(&name)),
		.action = pool_keep(&spawn->policy.memory, buf_span(&action)),
	};
}

/* One line about the file of @first, from that rule on. */
static void say_file(const struct spawn *spawn, const struct policy_rule *first)
{
	const struct policy_rule *end =
		spawn->policy.rules + spawn->policy.rule_count;
	const struct policy_origin *at = &first->origin;
	const struct policy_rule *rule;
	autobuf struct buf text = { 0 };
	size_t count = 0;

	for (rule = first; rule < end; rule++) {
		if (rule->origin.file != at->file || !is_unheld(spawn, rule) ||
		    ++count > NAMED_MAX)
			continue;
		buf_addf(&text, "%s'%s ", count > 1 ? ", " : "",
			 decision_word(rule->decision));
		add_action(&text, rule);
		buf_addc(&text, '\'');
	}
	if (count > NAMED_MAX)
		buf_addf(&text, " and %zu more", count - NAMED_MAX);
	warn("%s:%u:%u: chock-spawn does not hold %s: it asks nobody about what "
	     "the command does; 'chock explain ACTION' says who holds a rule",
	     at->file, at->line, at->column, buf_str(&text));
}

/* Included files are between the rules of those that include them. */
static bool is_said(const struct spawn *spawn, const struct policy_rule *rule)
{
	const struct policy_rule *other = spawn->policy.rules;

	while (other < rule && (other->origin.file != rule->origin.file ||
				!is_unheld(spawn, other)))
		other++;
	return other < rule;
}

void spawn_unheld(struct spawn *spawn)
{
	const struct policy *policy = &spawn->policy;
	size_t i;

	/* Who froze the policies asks about the rest. */
	if (spawn->options.frozen_fd >= 0)
		return;
	for (i = 0; i < policy->rule_count; i++) {
		if (!is_unheld(spawn, &policy->rules[i]))
			continue;
		keep(spawn, &policy->rules[i]);
		if (!is_said(spawn, &policy->rules[i]))
			say_file(spawn, &policy->rules[i]);
	}
}
