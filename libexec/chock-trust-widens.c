/* SPDX-License-Identifier: ISC */
/* What of a project's policy would permit more than holds without trust. */
#include "base/buf.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-trust.h"
#include "policy/agent.h"
#include "policy/decide.h"
#include "policy/decision.h"
#include "policy/rule.h"

static enum policy_decision answer_of(const struct policy *policy,
				      struct span action)
{
	struct asker asker = { .chain = { span_of("main") }, .chain_count = 1 };
	struct question question = { .action = action, .asker = &asker };
	enum policy_decision decision = DECISION_DENY;
	struct why ignored = { 0 };

	if (!decide_prepare(&question, &ignored))
		decision = decide(policy, &question).decision;
	decide_release(&question);
	return decision;
}

/* Whether @rule says the same whoever asks, and with which attributes. */
static bool is_unconditional(const struct policy_rule *rule)
{
	return !rule->tool.name.data && !rule->model.name.data &&
	       !rule->agent.name.data && !rule->attributes.count &&
	       !rule->attributes.websocket && !rule->attributes.cleartext;
}

/* Whether @rule is about one action whatever else is the case. */
static bool is_plain(const struct policy_rule *rule)
{
	return rule->action.name.data && !rule->action.class &&
	       is_unconditional(rule);
}

/* Whether one of two actions is the other or has it below it. */
static bool overlap(struct rule_field a, struct rule_field b)
{
	return rule_field_fits(a, b.name) || rule_field_fits(b, a.name) ||
	       span_equal(a.name, b.name);
}

/* ---- one action --------------------------------------------------------- */

/* Whether @a decides wherever both match. */
static bool wins(const struct policy_rule *a, const struct policy_rule *b)
{
	return a->layer == b->layer ? rule_better(a, b) != NULL
				    : a->layer < b->layer;
}

/*
 * Whether @old answers each question that the plain @new answers.  An allow
 * without a flag leaves out acts that have it, which another rule takes.
 */
static bool covers(const struct policy_rule *old, const struct policy_rule *new)
{
	return old->layer != POLICY_CEILING && is_unconditional(old) &&
	       rule_field_fits(old->action, new->action.name) &&
	       (old->decision != DECISION_ALLOW ||
		new->decision == DECISION_ALLOW);
}

/* The most restrictive answer that the plain @rule may take the place of. */
static enum policy_decision strictest(const struct policy *now,
				      const struct policy_rule *rule)
{
	const struct policy_rule *cover = NULL;
	enum policy_decision most;
	size_t i;

	for (i = 0; i < now->rule_count; i++)
		if (covers(&now->rules[i], rule) &&
		    (!cover || wins(&now->rules[i], cover)))
			cover = &now->rules[i];
	/* What nobody names is asked. */
	most = cover ? cover->decision : DECISION_ASK;
	for (i = 0; i < now->rule_count; i++) {
		const struct policy_rule *old = &now->rules[i];

		if (old->layer != POLICY_CEILING && old->decision > most &&
		    rule_field_fits(old->action, rule->action.name) &&
		    !(cover && wins(cover, old)))
			most = old->decision;
	}
	return most;
}

static bool plain_widens(struct buf *more, const struct offer *offer,
			 const struct policy_rule *rule)
{
	enum policy_decision now = answer_of(&offer->now, rule->action.name);
	enum policy_decision then = answer_of(&offer->then, rule->action.name);
	enum policy_decision most = strictest(&offer->now, rule);

	if (then < now)
		buf_addf(more, "  (now: %s)", decision_word(now));
	else if (rule->decision < most)
		buf_addf(more, "  (now for some: %s)", decision_word(most));
	else
		return false;
	return true;
}

/* ---- any other ---------------------------------------------------------- */

/*
 * Whether @rule, which is about more than one act, may say more than now: one
 * below ask always, for what nobody names is asked; any other where a rule
 * that is more restrictive holds for some of it.
 */
static bool may_widen(const struct policy *now, const struct policy_rule *rule)
{
	size_t i;

	if (rule->decision < DECISION_ASK)
		return true;
	for (i = 0; i < now->rule_count; i++)
		if (now->rules[i].layer != POLICY_CEILING &&
		    now->rules[i].decision > rule->decision &&
		    overlap(rule->action, now->rules[i].action))
			return true;
	return false;
}

bool widens_by_rule(struct buf *more, const struct offer *offer,
		    const struct policy_rule *rule)
{
	if (rule->layer != POLICY_PROJECT || rule->decision == DECISION_DENY)
		return false;
	return is_plain(rule) ? plain_widens(more, offer, rule)
			      : may_widen(&offer->now, rule);
}

/* Where the person's own policy declares none, every kind is known already. */
bool widens_by_agent(const struct offer *offer,
		     const struct policy_agent *agent)
{
	const struct policy *now = &offer->now;
	bool declares = false;
	size_t i;

	if (agent->layer != POLICY_PROJECT)
		return false;
	for (i = 0; i < now->agent_count; i++) {
		const struct policy_agent *old = &now->agents[i];

		if (old->layer == POLICY_CEILING)
			continue;
		if (span_equal(span_of(old->kind), span_of(agent->kind)))
			return false;
		declares = true;
	}
	return declares;
}
