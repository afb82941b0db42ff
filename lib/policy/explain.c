/* SPDX-License-Identifier: ISC */
#include "policy/explain.h"

#include "base/buf.h"
#include "policy/action.h"
#include "policy/restriction.h"
#include "policy/tell.h"

/* What is being explained, and to where. */
struct telling {
	struct buf *lines;
	const struct policy *policy;
	const struct question *question;
	struct span agent;
};

static void add_rule(struct buf *lines, const struct policy_rule *rule)
{
	autobuf struct buf name = { 0 };

	rule_name(&name, rule);
	buf_add_plain(lines, buf_span(&name));
	buf_addc(lines, ' ');
	tell_rule(lines, rule);
}

/* Why @rule is not the one that decides in its tier, or that it is. */
static void add_reason(struct telling *telling, const struct policy_rule *rule,
		       const struct policy_rule *best, const char *verdict)
{
	const char *differs =
		decide_differs(rule, telling->question, telling->agent);
	const char *better;

	if (differs) {
		buf_addf(telling->lines, "does not match: %s", differs);
	} else if (rule == best) {
		buf_adds(telling->lines, verdict);
	} else {
		better = rule_better(best, rule);
		buf_adds(telling->lines, "loses to ");
		add_rule(telling->lines, best);
		buf_addf(telling->lines, " by its %s",
			 better ? better : "being the same");
	}
}

/* All rules of @tier that name the action; returns how many there are. */
static size_t add_tier(struct telling *telling, unsigned int tier,
		       const char *title, const struct policy_rule *best,
		       const char *verdict)
{
	struct rule_field action = { telling->question->action, false };
	const struct policy_rule *rule;
	size_t count = 0;

	do {
		rule = rule_first(telling->policy, tier, action);
		for (; rule; rule = rule_next(telling->policy, rule)) {
			buf_addf(telling->lines, "  %s: ", title);
			add_rule(telling->lines, rule);
			buf_adds(telling->lines, ": ");
			add_reason(telling, rule, best, verdict);
			buf_addc(telling->lines, '\n');
			count++;
		}
	} while (rule_widen(&action));
	return count;
}

static void add_layers(struct telling *telling)
{
	const char *verdict = "decides";
	bool answered = false;
	unsigned int tier;

	for (tier = POLICY_COMMAND; tier < POLICY_CEILING; tier++) {
		const struct policy_rule *best =
			decide_tier(telling->policy, tier, telling->question,
				    telling->agent);
		const char *title = rule_layer_word((enum policy_layer)tier);

		if (!add_tier(telling, tier, title, best, verdict))
			buf_addf(telling->lines, "  %s: names it not\n", title);
		if (best)
			verdict = "not asked: a layer above it has answered";
		answered = answered || best;
	}
	if (answered)
		return;
	if (action_defaults_to_allow(telling->question->action))
		buf_adds(telling->lines,
			 "  unnamed: a capability that no layer names is "
			 "there: allow\n");
	else
		buf_adds(telling->lines,
			 "  unnamed: an act that no layer names: ask\n");
}

static void add_ceilings(struct telling *telling)
{
	unsigned int i;

	for (i = 0; i < telling->policy->ceiling_count; i++) {
		unsigned int tier = POLICY_CEILING + i;
		const struct policy_rule *best =
			decide_tier(telling->policy, tier, telling->question,
				    telling->agent);

		(void)add_tier(telling, tier, "ceiling", best,
			       "permits no more than this");
		if (!best)
			buf_adds(telling->lines,
				 "  ceiling: unnamed in a ceiling lowers "
				 "nothing\n");
	}
}

/* Those that bind the act, whoever of its chain they were written for. */
static void add_restrictions(struct telling *telling,
			     const struct answer *answer)
{
	const struct restrictions *all = telling->policy->restrictions;
	size_t i;

	for (i = 0; all && i < all->count; i++) {
		const struct restriction *restriction = &all->items[i];

		if (!restriction_binds(restriction, telling->question))
			continue;
		buf_addf(telling->lines, "restriction:%u %s ",
			 restriction->number,
			 decision_word(restriction->at_most));
		buf_add_plain(telling->lines, span_of(restriction->action));
		buf_addf(telling->lines, ": %s: ",
			 restriction == answer->restriction
				 ? "decides"
				 : "permits no more than this");
		buf_add_plain(telling->lines, span_of(restriction->reason));
		buf_addc(telling->lines, '\n');
	}
	if (all && all->full)
		buf_adds(telling->lines, "restriction:0 deny any: there is no "
					 "room for another restriction\n");
}

/* The answer itself, and for which agent it is. */
static void add_answer(struct telling *telling, const struct answer *answer)
{
	struct buf *lines = telling->lines;

	buf_add_plain(lines, telling->question->action);
	tell_act(lines, &telling->question->act);
	buf_addf(lines, ": %s", decision_word(answer->decision));
	if (answer->by == ANSWER_CHAIN)
		buf_adds(lines, ": the chain of agents is empty or has an "
				"empty name");
	if (answer->by == ANSWER_KIND)
		buf_adds(lines, ": no policy declares the agent ");
	else if (answer->agent.len)
		buf_adds(lines, ", because of the agent ");
	buf_add_plain(lines, answer->agent);
	buf_addc(lines, '\n');
}

/* Nothing is asked, so no layer is. */
static bool is_settled(const struct answer *answer)
{
	return answer->by == ANSWER_CHAIN || answer->by == ANSWER_KIND;
}

/* Why the action is asked about, where that is not plain from the call. */
static void add_notes(struct telling *telling)
{
	const struct question *question = telling->question;
	size_t i;

	for (i = 0; i < question->note_count; i++) {
		buf_adds(telling->lines, "  asked for: ");
		buf_add_plain(telling->lines, question->notes[i]);
		buf_addc(telling->lines, '\n');
	}
}

void explain(struct buf *lines, const struct policy *policy,
	     const struct question *question)
{
	struct telling telling = { lines, policy, question, { NULL, 0 } };
	struct answer answer = decide(policy, question);
	struct span agents[DECIDE_AGENTS_MAX];
	size_t count, i;

	if (answer.by == ANSWER_NOTHING) {
		buf_adds(lines, "a call that grants nothing: allow\n");
		return;
	}
	add_answer(&telling, &answer);
	add_notes(&telling);
	count = is_settled(&answer)
			? 0
			: decide_agents(policy, question->asker, agents);
	for (i = 0; i < count; i++) {
		telling.agent = agents[i];
		buf_adds(lines, "for the agent ");
		buf_add_plain(lines, agents[i]);
		buf_adds(lines, ":\n");
		add_layers(&telling);
		add_ceilings(&telling);
	}
	add_restrictions(&telling, &answer);
	explain_consequences(lines, policy, question, &answer);
}
