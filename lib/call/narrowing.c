/* SPDX-License-Identifier: ISC */
#include "call/narrowing.h"

#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "base/span.h"
#include "base/why.h"
#include "policy/action.h"
#include "policy/decide.h"
#include "policy/field.h"
#include "record/record.h"

/* The last one is not for a name. */
static const char *const fields[] = { "action", "at_most", "reason" };

/* What is wrong with the fields of an object: the first that is unknown. */
struct unknown {
	size_t known; /* how many of fields may be there */
	int result;
	struct why *why;
};

static int no_word(const char *what, struct span word, const char *const *known,
		   size_t count, struct why *why)
{
	char near[NEAREST_ROOM];

	return why_set(why, EINVAL, "'%.*s' is no %s%s", (int)word.len,
		       word.data, what,
		       nearest_clause(near, word, known, count));
}

static void check_field(void *context, const char *name,
			const struct record_value *field)
{
	struct unknown *unknown = context;
	size_t i;

	(void)field;
	for (i = 0; i < unknown->known; i++)
		if (!strcmp(name, fields[i]))
			return;
	if (!unknown->result)
		unknown->result = no_word("field of a restriction",
					  span_of(name), fields, unknown->known,
					  unknown->why);
}

static int check_fields(const struct record_value *said, size_t known,
			struct why *why)
{
	struct unknown unknown = { .known = known, .why = why };

	if (!value_is_object(said))
		return why_set(why, EINVAL, "a restriction is no object");
	value_each(said, check_field, &unknown);
	return unknown.result;
}

/* A text that must be there and must not be empty. */
static int read_text(struct buf *text, const struct record_value *said,
		     const char *name, struct why *why)
{
	const struct record_value *value = value_field(said, name);

	if (!value)
		return why_set(why, EINVAL, "a restriction has no '%s'", name);
	if (value_text(text, value) < 0 || !text->len)
		return why_set(why, EINVAL, "'%s' is not a text", name);
	return 0;
}

static int read_at_most(enum policy_decision *at_most,
			const struct record_value *said, struct why *why)
{
	autobuf struct buf word = { 0 };
	int r = read_text(&word, said, "at_most", why);

	if (r < 0)
		return r;
	*at_most = decision_read(buf_span(&word));
	if (*at_most == DECISIONS)
		return no_word("decision", buf_span(&word), decision_words,
			       DECISIONS, why);
	if (*at_most == DECISION_ALLOW)
		return why_set(why, EINVAL,
			       "at most 'allow' restricts nothing");
	return 0;
}

/* Puts a NUL behind each kind.  Returns how many there are, or -EINVAL. */
static int read_chain(struct buf *text, const struct record_value *chain,
		      struct why *why)
{
	size_t count = value_count(chain);
	size_t i;

	if (!chain) {
		buf_add(text, (struct span){ "main", sizeof("main") });
		return 1;
	}
	if (!count || count > CHAIN_MAX)
		return why_set(why, EINVAL,
			       "'agent' is not a chain of 1 to %d agents",
			       CHAIN_MAX);
	for (i = 0; i < count; i++) {
		size_t len = text->len;

		if (value_text(text, value_at(chain, i)) < 0 ||
		    text->len == len)
			return why_set(why, EINVAL, "'agent' is not a text");
		buf_addc(text, '\0');
	}
	return (int)count;
}

int narrowing_read(struct narrowing *narrowing, const struct record_value *said,
		   const struct record_value *chain, struct why *why)
{
	struct restriction *new = &narrowing->restriction;
	int agents = 0;
	int r = check_fields(said, 3, why);

	if (!r)
		r = read_text(&narrowing->action, said, "action", why);
	if (!r)
		r = field_read_action(&new->field, buf_str(&narrowing->action),
				      why);
	if (!r)
		r = read_at_most(&new->at_most, said, why);
	if (!r)
		r = read_text(&narrowing->reason, said, "reason", why);
	if (!r)
		r = agents = read_chain(&narrowing->chain, chain, why);
	if (r < 0)
		return r;
	new->action = buf_str(&narrowing->action);
	new->reason = buf_str(&narrowing->reason);
	new->chain = buf_str(&narrowing->chain);
	new->agents = (size_t)agents;
	return 0;
}

int narrowing_read_name(struct narrowing *narrowing,
			const struct record_value *said,
			const struct record_value *chain, struct why *why)
{
	struct restriction_name *name = &narrowing->name;
	int agents = 0;
	int r = check_fields(said, 2, why);

	name->at_most = DECISIONS;
	if (!r)
		r = read_text(&narrowing->action, said, "action", why);
	if (!r && value_field(said, "at_most"))
		r = read_at_most(&name->at_most, said, why);
	if (!r && chain)
		r = agents = read_chain(&narrowing->chain, chain, why);
	if (r < 0)
		return r;
	name->action = buf_str(&narrowing->action);
	name->chain = chain ? buf_str(&narrowing->chain) : NULL;
	name->agents = (size_t)agents;
	return 0;
}

/* A name in a namespace that this version does not know still is a name. */
static void read_kept_action(struct narrowing *narrowing,
			     const struct record_value *said)
{
	struct restriction *new = &narrowing->restriction;
	const char *word;
	struct why why = { 0 };

	if (read_text(&narrowing->action, said, "action", &why) < 0) {
		buf_reset(&narrowing->action);
		buf_adds(&narrowing->action, "any");
	}
	word = buf_str(&narrowing->action);
	new->action = word;
	if (!field_read_action(&new->field, word, &why))
		return;
	if (field_read(&new->field, word, &why) < 0 ||
	    action_fault(new->field.name))
		new->field = (struct rule_field){ .class = false };
}

void narrowing_read_kept(struct narrowing *narrowing,
			 const struct record_value *said,
			 const struct record_value *chain)
{
	struct restriction *new = &narrowing->restriction;
	struct why why = { 0 };
	int agents;

	read_kept_action(narrowing, said);
	new->at_most = DECISIONS;
	if (read_at_most(&new->at_most, said, &why) < 0 &&
	    new->at_most != DECISION_ALLOW)
		new->at_most = DECISION_DENY;
	if (read_text(&narrowing->reason, said, "reason", &why) < 0)
		buf_reset(&narrowing->reason);
	agents = read_chain(&narrowing->chain, chain, &why);
	new->reason = buf_str(&narrowing->reason);
	new->chain = buf_str(&narrowing->chain);
	new->agents = agents < 0 ? 0 : (size_t)agents;
}

void narrowing_drop(struct narrowing *narrowing)
{
	buf_drop(&narrowing->action);
	buf_drop(&narrowing->reason);
	buf_drop(&narrowing->chain);
	*narrowing = (struct narrowing){ .name = { .action = NULL } };
}
