/* SPDX-License-Identifier: ISC */
#include "call/reply.h"

#include "base/buf.h"
#include "policy/action.h"
#include "policy/explain.h"
#include "policy/restriction.h"
#include "record/json.h"

void reply_rule(struct buf *name, const struct answer *answer)
{
	static const char *const words[] = {
		[ANSWER_UNNAMED] = "unnamed",   [ANSWER_CHAIN] = "chain",
		[ANSWER_KIND] = "agent",        [ANSWER_NOTHING] = "nothing",
		[ANSWER_SUBAGENTS] = "unnamed",
	};

	if (answer->rule)
		rule_name(name, answer->rule);
	else if (answer->restriction)
		buf_addf(name, "restriction:%u", answer->restriction->number);
	else if (answer->statement)
		buf_addf(name, "%s%s:%u",
			 answer->statement->layer == POLICY_CEILING ? "ceiling:"
								    : "",
			 answer->statement->origin.file,
			 answer->statement->origin.line);
	else
		buf_adds(name, words[answer->by]);
}

static const char *layer_word(const struct answer *answer)
{
	if (answer->rule)
		return rule_layer_word(answer->rule->layer);
	if (answer->statement)
		return rule_layer_word(answer->statement->layer);
	return answer->restriction ? "restriction" : "none";
}

/* Whether an enforcement point holds the answer or the caller alone does. */
static const char *backed_by(struct span action)
{
	const struct action_space *space = action_space(action);

	return space ? space->held : "advice";
}

/* The explanation, which is lines, as an array of them. */
static void add_why(struct buf *fields, const struct policy *policy,
		    const struct call *call, bool with_why)
{
	autobuf struct buf text = { 0 };
	struct span rest;
	size_t i;

	for (i = 0; with_why && i < call->count; i++)
		explain(&text, policy, &call->questions[i]);
	json_open_array(fields, "why");
	if (call->note.len)
		json_item(fields, call->note);
	rest = buf_span(&text);
	while (rest.len)
		json_item(fields, span_cut(&rest, '\n'));
	json_close_array(fields);
}

/* What is not allowed of a call that may come to much else. */
static void add_need(struct buf *fields, const struct question *question,
		     const struct answer *answer)
{
	autobuf struct buf rule = { 0 };
	size_t i;

	reply_rule(&rule, answer);
	json_item_object(fields);
	json_str(fields, "action", question->action);
	json_str(fields, "decision", span_of(decision_word(answer->decision)));
	json_str(fields, "rule", buf_span(&rule));
	if (question->note_count) {
		json_open_array(fields, "notes");
		for (i = 0; i < question->note_count; i++)
			json_item(fields, question->notes[i]);
		json_close_array(fields);
	}
	json_close_object(fields);
}

/* Questions that differ in what they are about alone are one action. */
static bool is_named(const struct call *call, size_t i)
{
	return i && span_equal(call->questions[i].action,
			       call->questions[i - 1].action);
}

/* The answer to all questions of @call; puts what it needs behind @needs. */
static struct answer decide_call(const struct policy *policy,
				 const struct call *call, struct span *action,
				 struct buf *needs)
{
	struct answer least = { .decision = DECISIONS };
	size_t i;

	for (i = 0; i < call->count; i++) {
		const struct question *question = &call->questions[i];
		struct answer answer = decide(policy, question);

		if (answer.decision != DECISION_ALLOW && question->action.len &&
		    call->asker.tool.len)
			add_need(needs, question, &answer);
		if (i && !decide_lowers(&least, &answer))
			continue;
		least = answer;
		*action = question->action;
	}
	if (call->bound)
		decide_min(&least, *call->bound);
	return least;
}

enum policy_decision reply_call(struct buf *fields, const struct policy *policy,
				const struct call *call, bool with_why)
{
	autobuf struct buf rule = { 0 };
	autobuf struct buf needs = { 0 };
	struct span action = { NULL, 0 };
	struct answer least = decide_call(policy, call, &action, &needs);
	size_t i;

	json_open_array(fields, "actions");
	for (i = 0; i < call->count; i++)
		if (call->questions[i].action.len && !is_named(call, i))
			json_item(fields, call->questions[i].action);
	json_close_array(fields);
	json_str(fields, "decision", span_of(decision_word(least.decision)));
	reply_rule(&rule, &least);
	json_str(fields, "rule", buf_span(&rule));
	json_str(fields, "layer", span_of(layer_word(&least)));
	json_str(fields, "backed_by", span_of(backed_by(action)));
	if (needs.len) {
		json_open_array(fields, "needs");
		buf_add(fields, buf_span(&needs));
		json_close_array(fields);
	}
	if (with_why || call->note.len)
		add_why(fields, policy, call, with_why);
	return least.decision;
}

enum policy_decision reply_question(struct buf *text,
				    const struct policy *policy,
				    const struct question *question,
				    bool with_why)
{
	struct answer answer = decide(policy, question);
	autobuf struct buf rule = { 0 };
	size_t i;

	reply_rule(&rule, &answer);
	/* One answer is one line, whatever a file is called. */
	for (i = 0; i < rule.len; i++)
		if ((unsigned char)rule.data[i] < ' ')
			rule.data[i] = '?';
	buf_addf(text, "%s %s\n", decision_word(answer.decision),
		 buf_str(&rule));
	if (with_why)
		explain(text, policy, question);
	return answer.decision;
}
