/* SPDX-License-Identifier: ISC */
#include "harness/ruling.h"

#include <stdint.h>
#include <string.h>

#include "base/why.h"
#include "record/record.h"
#include "record/utf8.h"

/* Makes @line of @text, at most @max bytes, each character that is not seen
 * as '?'. */
static void make_seen(struct buf *line, struct span text, size_t max)
{
	buf_reset(line);
	while (text.len) {
		uint32_t character = 0;
		size_t len = utf8_next(&character, text);

		if (line->len + (len ? len : 1) > max) {
			buf_cut(line, max - 3);
			while (line->len && !utf8_valid(buf_span(line)))
				buf_cut(line, line->len - 1);
			buf_adds(line, "...");
			return;
		}
		if (!len || utf8_unseen(character))
			buf_addc(line, '?');
		else
			buf_add(line, (struct span){ text.data, len });
		text = span_from(text, len ? len : 1);
	}
}

static void set(struct ruling *ruling, enum ruling_answer answer,
		const struct buf *reason)
{
	ruling->answer = answer;
	make_seen(&ruling->reason, buf_span(reason), RULING_REASON_MAX);
}

/* Like set(), with what the reason was before @more, shortened for it. */
static void set_more(struct ruling *ruling, enum ruling_answer answer,
		     const struct buf *more)
{
	autobuf struct buf reason = { 0 };

	make_seen(&reason, buf_span(&ruling->reason),
		  RULING_REASON_MAX - more->len);
	buf_add(&reason, buf_span(more));
	set(ruling, answer, &reason);
}

static void add_short(struct buf *reason, struct span text, size_t max)
{
	autobuf struct buf seen = { 0 };

	make_seen(&seen, text, max);
	buf_add(reason, buf_span(&seen));
}

/* Whether a person, or who acts for one, wrote the rule that allows. */
static bool is_told(const struct record *record)
{
	static const char *const layers[] = { "command", "project",
					      "operator" };
	const struct record_value *layer = record_get(record, "layer");
	size_t i;

	for (i = 0; i < sizeof(layers) / sizeof(*layers); i++)
		if (value_is(layer, layers[i]))
			return true;
	return false;
}

static enum ruling_answer answer_of(const struct record *record)
{
	static const char *const asking[] = { "ask", "agent_review",
					      "agent_then_human" };
	const struct record_value *decision = record_get(record, "decision");
	size_t i;

	if (value_is(decision, "allow"))
		return is_told(record) ? RULING_ALLOW : RULING_DEFER;
	for (i = 0; i < sizeof(asking) / sizeof(*asking); i++)
		if (value_is(decision, asking[i]))
			return RULING_ASK;
	return RULING_DENY;
}

/* A file may be called anything, so that a rule need not be UTF-8. */
static void add_text(struct buf *reason, const struct record *record,
		     const char *name)
{
	(void)value_bytes(reason, record_get(record, name));
}

/* What in the call is the cause, where that is more than its name. */
static void add_notes(struct buf *reason, const struct record_value *notes)
{
	size_t count = value_count(notes);
	size_t i;

	for (i = 0; i < count && i < RULING_NOTES_MAX; i++) {
		autobuf struct buf note = { 0 };

		(void)value_bytes(&note, value_at(notes, i));
		buf_adds(reason, i ? "; " : " (");
		add_short(reason, buf_span(&note), RULING_NOTE_MAX);
	}
	if (count > i)
		buf_addf(reason, "; and %zu more", count - i);
	if (i)
		buf_addc(reason, ')');
}

static void add_action(struct buf *reason, const struct record_value *need)
{
	const char *action = value_string(value_field(need, "action"));

	add_short(reason, span_of(action ? action : "?"), RULING_ACTION_MAX);
}

/* What the call needs and is not allowed, each with why it does. */
static void add_needs(struct buf *reason, const struct record_value *needs)
{
	size_t count = value_count(needs);
	size_t start = reason->len;
	size_t i;

	for (i = 0; i < count && i < RULING_ACTIONS_MAX &&
		    reason->len - start < RULING_LIST_MAX;
	     i++) {
		buf_adds(reason, i ? ", " : "");
		add_action(reason, value_at(needs, i));
		add_notes(reason, value_field(value_at(needs, i), "notes"));
	}
	if (count > i)
		buf_addf(reason, " and %zu more", count - i);
}

/* The rules that would permit it, each as it would be written. */
static void add_rules(struct buf *reason, const struct record *record,
		      const char *what)
{
	const struct record_value *needs = record_get(record, "needs");
	size_t count = value_count(needs);
	size_t start = reason->len;
	size_t i;

	for (i = 0; i < count && i < RULING_ACTIONS_MAX &&
		    reason->len - start < RULING_LIST_MAX;
	     i++) {
		buf_adds(reason, !i              ? "; 'allow "
				 : i + 1 < count ? ", 'allow "
						 : " and 'allow ");
		add_action(reason, value_at(needs, i));
		buf_addc(reason, '\'');
	}
	if (count > i)
		buf_addf(reason, " and %zu more", count - i);
	if (count)
		buf_addf(reason, " %s", what);
}

/* What would have to change for the answer to be another. */
static void add_remedy(struct buf *reason, const struct record *record)
{
	const struct record_value *layer = record_get(record, "layer");
	const struct record_value *rule = record_get(record, "rule");
	autobuf struct buf name = { 0 };

	add_text(&name, record, "rule");
	if (value_is(rule, "chain")) {
		buf_adds(reason, ": the chain of agents is broken");
	} else if (value_is(rule, "agent")) {
		buf_adds(reason, ": its agent is of a kind that no policy "
				 "declares");
	} else if (span_starts(buf_span(&name), "restriction:")) {
		buf_addf(reason, ": %s says so, until it is lifted",
			 buf_str(&name));
	} else if (value_is(layer, "ceiling")) {
		buf_addf(reason, ": %s says so, and no other rule lifts that",
			 buf_str(&name));
	} else if (value_is(rule, "unnamed")) {
		buf_adds(reason, ": no rule names it");
		add_rules(reason, record, "would permit it");
	} else {
		buf_addf(reason, ": %s says so", buf_str(&name));
		add_rules(reason, record,
			  value_is(layer, "default")
				  ? "in a policy would permit it"
				  : "in its place would permit it");
	}
}

/* A call without actions: the number that it goes beyond, if it is that. */
static void add_cause(struct buf *reason, const struct record *record)
{
	const struct record_value *cause =
		value_at(record_get(record, "why"), 0);

	buf_adds(reason, "it");
	if (!cause)
		return;
	buf_adds(reason, " (");
	(void)value_bytes(reason, cause);
	buf_addc(reason, ')');
}

static void add_reason(struct buf *reason, const struct record *record,
		       enum ruling_answer answer)
{
	const struct record_value *needs = record_get(record, "needs");
	bool asks = answer == RULING_ASK;

	buf_adds(reason,
		 asks ? "chock wants a person asked about " : "chock denies ");
	add_needs(reason, needs);
	if (!value_count(needs))
		add_cause(reason, record);
	if (asks && !value_is(record_get(record, "decision"), "ask")) {
		buf_adds(reason, " (");
		add_text(reason, record, "decision");
		buf_addc(reason, ')');
	}
	if (!asks)
		buf_adds(reason, " by policy, and trying again will not help");
	add_remedy(reason, record);
}

void ruling_take(struct ruling *ruling, struct span answered)
{
	autorecord struct record record = { 0 };
	autobuf struct buf reason = { 0 };
	struct why why = { 0 };
	enum ruling_answer answer = RULING_DENY;

	if (record_read(&record, answered, &why) < 0) {
		buf_addf(&reason, "chock cannot tell: %s", why.text);
	} else if (record_has(&record, "error")) {
		buf_adds(&reason, "chock cannot judge it: ");
		add_text(&reason, &record, "error");
	} else {
		answer = answer_of(&record);
		if (answer > RULING_DEFER)
			add_reason(&reason, &record, answer);
	}
	if (answer > ruling->answer)
		set(ruling, answer, &reason);
}

void ruling_leave(struct ruling *ruling)
{
	autobuf struct buf more = { 0 };

	if (ruling_allows(ruling)) {
		buf_adds(&more,
			 "chock wants a person asked: it would run outside "
			 "of the harness's own sandbox, and no rule "
			 "permits that");
		set(ruling, RULING_ASK, &more);
		return;
	}
	buf_adds(&more, "; and it would run outside of the harness's own "
			"sandbox");
	set_more(ruling, ruling->answer, &more);
}

void ruling_unasked(struct ruling *ruling, const char *why)
{
	autobuf struct buf more = { 0 };

	if (ruling->answer != RULING_ASK)
		return;
	buf_addf(&more,
		 "; %s, so that it is denied, and trying again will not help",
		 why);
	set_more(ruling, RULING_DENY, &more);
}

void ruling_deny(struct ruling *ruling, const char *why)
{
	autobuf struct buf reason = { 0 };

	buf_addf(&reason, "chock cannot judge it: %s", why);
	set(ruling, RULING_DENY, &reason);
}

bool ruling_allows(const struct ruling *ruling)
{
	return ruling->answer == RULING_ALLOW || ruling->answer == RULING_DEFER;
}

struct span ruling_text(const struct ruling *ruling)
{
	if (!ruling->reason.len)
		return span_of("chock has not judged it");
	return buf_span(&ruling->reason);
}

void ruling_drop(struct ruling *ruling)
{
	buf_drop(&ruling->reason);
	*ruling = (struct ruling){ 0 };
}
