/* SPDX-License-Identifier: ISC */
/* What an answer comes to: for whom it is held, and what would change it. */
#include <string.h>

#include "base/buf.h"
#include "base/word.h"
#include "policy/action.h"
#include "policy/explain.h"
#include "policy/restriction.h"
#include "policy/tell.h"

#define SEEN_MAX 16 /* places to change that are named */

struct advising {
	struct buf *lines;
	const struct policy *policy;
	const struct question *question;
	struct span agents[DECIDE_AGENTS_MAX];
	size_t agent_count;
	const struct policy_rule *seen[SEEN_MAX];
	size_t seen_count;
};

/* ---- what a decision means ---------------------------------------------- */

/* Acts that are decided before there is anybody to ask. */
static bool is_at_start(const struct question *question)
{
	static const char *const names[] = { "sandbox.jit", "device.",
					     "provider." };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_starts(question->action, names[i]))
			return true;
	/* A server of tools gets its secrets when it is started. */
	return span_starts(question->action, "secret.") &&
	       span_starts(question->asker->tool, "mcp.");
}

static void add_when(struct buf *lines, const struct question *question,
		     enum policy_decision decision)
{
	static const char *const whom[DECISIONS] = {
		[DECISION_AGENT_REVIEW] = "of the reviewer program",
		[DECISION_ASK] = "of a person",
		[DECISION_AGENT_THEN_HUMAN] = "of the reviewer program, and "
					      "if it agrees of a person",
	};

	if (!whom[decision])
		return;
	if (is_at_start(question))
		buf_addf(lines,
			 "%s: this is read once, at the start, when nobody can "
			 "be asked: it is a no\n",
			 decision_word(decision));
	else
		buf_addf(lines,
			 "%s: asked when it comes up, %s; where nobody can "
			 "answer, it is a no\n",
			 decision_word(decision), whom[decision]);
}

/* What chock-run(1) asks about by itself, and does not do where it is refused:
 * to run a program, to put in place what was worked out. */
static bool is_held_by_run(struct span action)
{
	static const char *const names[] = { "exec.", "workspace.apply",
					     "workspace.policy",
					     "workspace.protected",
					     "workspace.integrate" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_starts(action, names[i]))
			return true;
	return false;
}

static void add_holder(struct buf *lines, struct span action)
{
	const struct action_space *space = action_space(action);

	if (!space)
		buf_adds(lines, "held: by whoever asks; no part of chock knows "
				"an action of this name\n");
	else if (!strcmp(space->held, "kernel"))
		buf_adds(lines, "held: by the kernel, for the whole sandbox\n");
	else if (!strcmp(space->held, "broker"))
		buf_adds(lines, "held: by chock's broker, outside of the "
				"sandbox\n");
	else if (space->reserved)
		buf_adds(lines, "held: by whoever asks; nothing in this "
				"version asks for it by itself\n");
	else if (is_held_by_run(action))
		buf_adds(lines, "held: by chock run, which asks before it does "
				"it; of what runs in the sandbox it is "
				"advice\n");
	else
		buf_adds(lines, "held: by whoever asks; to chock it is "
				"advice\n");
}

/* ---- what would allow it ------------------------------------------------ */

/* Whether @rule is named for the first time; when there is no more room it is
 * not, which says less and nothing wrong. */
static bool is_new(struct advising *advising, const struct policy_rule *rule)
{
	size_t i;

	for (i = 0; i < advising->seen_count; i++)
		if (advising->seen[i] == rule)
			return false;
	if (advising->seen_count == SEEN_MAX)
		return false;
	advising->seen[advising->seen_count++] = rule;
	return true;
}

/* The ceilings that lower it; returns whether there are any. */
static bool add_ceilings(struct advising *advising)
{
	const struct policy_rule *rule;
	bool lowered = false;
	unsigned int i;
	size_t j;

	for (i = 0; i < advising->policy->ceiling_count; i++)
		for (j = 0; j < advising->agent_count; j++) {
			rule = decide_tier(advising->policy, POLICY_CEILING + i,
					   advising->question,
					   advising->agents[j]);
			if (!rule || rule->decision == DECISION_ALLOW)
				continue;
			lowered = true;
			if (!is_new(advising, rule))
				continue;
			buf_adds(advising->lines,
				 "to allow it: no policy can, the ceiling '");
			tell_rule(advising->lines, rule);
			buf_adds(advising->lines, "' at ");
			tell_place(advising->lines, &rule->origin);
			buf_adds(advising->lines,
				 " stands above; only its owner can change "
				 "it\n");
		}
	return lowered;
}

/* The rule that allows this act and none other. */
static struct policy_rule allowing(const struct question *question)
{
	struct policy_rule rule = { .decision = DECISION_ALLOW };

	rule.action.name = question->action;
	rule.attributes.websocket = question->act.websocket;
	rule.attributes.cleartext = question->act.cleartext;
	rule.attributes.count = (unsigned int)question->act.websocket +
				(unsigned int)question->act.cleartext;
	return rule;
}

/* The rule of the layers that answers for @agent, or NULL for none. */
static const struct policy_rule *answering(const struct advising *advising,
					   struct span agent)
{
	const struct policy_rule *rule = NULL;
	unsigned int tier;

	for (tier = POLICY_COMMAND; !rule && tier < POLICY_CEILING; tier++)
		rule = decide_tier(advising->policy, tier, advising->question,
				   agent);
	return rule;
}

/*
 * A rule of the layer that a new rule must be in: the first one that has
 * answered with less.  NULL where that was the shipped one or none.
 */
static const struct policy_rule *find_answer(const struct advising *advising)
{
	const struct policy_rule *first = NULL;
	size_t i;

	for (i = 0; i < advising->agent_count; i++) {
		const struct policy_rule *rule =
			answering(advising, advising->agents[i]);

		if (rule && rule->decision != DECISION_ALLOW &&
		    rule->layer != POLICY_DEFAULTS &&
		    (!first || rule->tier < first->tier))
			first = rule;
	}
	return first;
}

/* What is to be done about @best, which answers in the place of @rule. */
static void add_change(struct buf *lines, const struct policy_rule *best,
		       const struct policy_rule *rule)
{
	bool shipped = policy_is_shipped(&best->origin);
	autobuf struct buf said = { 0 };

	buf_adds(lines, "to allow it: ");
	if (shipped) {
		tell_rule(&said, rule);
		buf_adds(lines, "say --rule ");
		word_shell(lines, buf_span(&said));
		buf_adds(lines, ", which comes before '");
	} else {
		buf_adds(lines, "change '");
	}
	tell_rule(lines, best);
	buf_adds(lines, "' at ");
	tell_place(lines, &best->origin);
	buf_adds(lines, shipped ? ", which comes with chock\n" : "\n");
}

/* Rules of @tier that @rule would not come before; returns whether there are
 * any. */
static bool add_blocking(struct advising *advising, unsigned int tier,
			 const struct policy_rule *rule)
{
	bool blocked = false;
	size_t i;

	for (i = 0; i < advising->agent_count; i++) {
		const struct policy_rule *best =
			answering(advising, advising->agents[i]);

		if (!best || best->tier != tier ||
		    best->decision == DECISION_ALLOW || rule_better(rule, best))
			continue;
		blocked = true;
		if (is_new(advising, best))
			add_change(advising->lines, best, rule);
	}
	return blocked;
}

static void add_line(struct advising *advising, const struct policy_rule *rule,
		     const char *where)
{
	buf_adds(advising->lines, "to allow it: add '");
	tell_rule(advising->lines, rule);
	buf_adds(advising->lines, "' to ");
	buf_add_plain(advising->lines, span_of(where));
	buf_addc(advising->lines, '\n');
}

static void add_unknown(struct buf *lines, struct span action)
{
	autobuf struct buf near = { 0 };

	buf_adds(lines, "to allow it: no rule can name it, for no part of "
			"chock knows it; ");
	action_nearest(&near, action, false);
	if (near.len)
		buf_addf(lines, "did you mean '%s'?\n", buf_str(&near));
	else
		buf_adds(lines, "'any' would allow all such names\n");
}

static void add_advice(struct advising *advising)
{
	struct policy_rule rule = allowing(advising->question);
	const struct policy_rule *answered;

	advising->agent_count = decide_agents(
		advising->policy, advising->question->asker, advising->agents);
	if (add_ceilings(advising))
		return;
	if (!action_space(advising->question->action)) {
		add_unknown(advising->lines, advising->question->action);
		return;
	}
	answered = find_answer(advising);
	if (!answered)
		add_line(advising, &rule, "a policy of your own");
	else if (!add_blocking(advising, answered->tier, &rule))
		add_line(advising, &rule, answered->origin.file);
}

void explain_consequences(struct buf *lines, const struct policy *policy,
			  const struct question *question,
			  const struct answer *answer)
{
	struct advising advising = { .lines = lines,
				     .policy = policy,
				     .question = question };

	if (answer->by == ANSWER_CHAIN) {
		buf_adds(lines, "to allow it: no policy can; who asks must "
				"name every agent of the chain\n");
		return;
	}
	if (answer->by == ANSWER_KIND) {
		buf_adds(lines, "to allow it: add 'agent ");
		buf_add_plain(lines, answer->agent);
		buf_adds(lines, "' to each file that declares agents and not "
				"this one\n");
		return;
	}
	add_when(lines, question, answer->decision);
	add_holder(lines, question->action);
	if (answer->by == ANSWER_RESTRICTION)
		buf_addf(
			lines,
			"to allow it: no policy can, restriction:%u stands "
			"above; it is lifted where 'policy.widen' is allowed\n",
			answer->restriction->number);
	else if (answer->decision != DECISION_ALLOW)
		add_advice(&advising);
}
