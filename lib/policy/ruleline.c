/* SPDX-License-Identifier: ISC */
#include "policy/ruleline.h"

#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/action.h"
#include "policy/rule.h"
#include "policy/words.h"

static const char *const field_words[] = {
	"agent", "model",  "tool", "port",      "proto",
	"to",    "method", "path", "websocket", "cleartext",
};

static const struct choice fields = {
	"field of a rule",
	field_words,
	sizeof(field_words) / sizeof(*field_words),
};

/* Splits the ".*" of a class off; what is left must have no star. */
static int read_field(struct rule_field *field, const struct words *words,
		      size_t index, struct why *why)
{
	struct span name = span_of(words->word[index]);

	field->class = name.len > 2 &&
		       !memcmp(name.data + name.len - 2, ".*", 2);
	if (field->class)
		name.len -= 2;
	field->name = name;
	if (memchr(name.data, '*', name.len) || *name.data == '.')
		return words_wrong(words, index, why,
				   "'%s' is neither a name nor a class, which "
				   "ends in '.*'; every one is said by 'any'",
				   words->word[index]);
	return 0;
}

/* Whether the last dots of @name were meant to be part of a component. */
static bool lacks_escape(struct span name)
{
	const struct action_space *space;

	while (name.len) {
		while (name.len && name.data[name.len - 1] != '.')
			name.len--;
		if (!name.len)
			break;
		space = action_space((struct span){ name.data, --name.len });
		if (space && strstr(space->form, ".*"))
			return true;
	}
	return false;
}

static int unknown_action(struct rule_field action, const struct words *words,
			  struct why *why)
{
	autobuf struct buf near = { 0 };
	const char *word = words->word[1];

	if (lacks_escape(action.name))
		return words_wrong(words, 1, why,
				   "'%s' is no action; a dot inside a name is "
				   "written %%2E",
				   word);
	if (!action.class && action_space_above(action.name))
		return words_wrong(words, 1, why,
				   "'%s' is no action; what is below it is "
				   "'%s.*'",
				   word, word);
	if (action.class && action_space(action.name))
		return words_wrong(words, 1, why,
				   "'%s' is no action; nothing is below '%.*s'",
				   word, (int)action.name.len,
				   action.name.data);
	action_nearest(&near, action.name, action.class);
	if (near.len)
		return words_wrong(words, 1, why,
				   "'%s' is no action; did you mean '%s%s'?",
				   word, buf_str(&near),
				   action.class ? ".*" : "");
	return words_wrong(words, 1, why,
			   "'%s' is no action; see "
			   "chock-policy(5)",
			   word);
}

static const struct action_space *space_of(struct rule_field action)
{
	return action.class ? action_space_above(action.name)
			    : action_space(action.name);
}

static int read_action(struct rule_field *action, const struct words *words,
		       struct why *why)
{
	const char *fault;
	int r;

	if (words->count < 2)
		return words_wrong(words, 1, why, "'%s' needs an action",
				   words->word[0]);
	if (!strcmp(words->word[1], "any"))
		return 0;
	r = read_field(action, words, 1, why);
	if (r < 0)
		return r;
	fault = action_fault(action->name);
	if (fault)
		return words_wrong(words, 1, why, "'%s' has %s", words->word[1],
				   fault);
	return space_of(*action) ? 0 : unknown_action(*action, words, why);
}

static struct rule_field *named_field(struct policy_rule *rule,
				      const char *word)
{
	if (!strcmp(word, "agent"))
		return &rule->agent;
	if (!strcmp(word, "model"))
		return &rule->model;
	return strcmp(word, "tool") != 0 ? NULL : &rule->tool;
}

/* Returns how many words the field at @index took. */
static int take_field(struct policy_rule *rule, const struct words *words,
		      size_t index, struct why *why)
{
	const char *word = words->word[index];
	struct rule_field *field = named_field(rule, word);
	int r;

	if (!field) {
		r = attributes_take(&rule->attributes, words, index, why);
		if (r)
			return r;
		return words_unknown(words, index, &fields, why);
	}
	if (field->name.data)
		return words_wrong(words, index, why, "'%s' a second time",
				   word);
	if (index + 1 == words->count)
		return words_wrong(words, index + 1, why, "'%s' needs a name",
				   word);
	if (strlen(words->word[index + 1]) > POLICY_LABEL_MAX)
		return words_wrong(words, index + 1, why,
				   "a name longer than %d bytes",
				   POLICY_LABEL_MAX);
	r = read_field(field, words, index + 1, why);
	return r < 0 ? r : 2;
}

static void warn_reserved(struct policy *policy, const struct words *words,
			  struct rule_field action)
{
	const struct action_space *space;

	if (!action.name.data)
		return;
	space = space_of(action);
	if (space && space->reserved)
		policy_warn(policy, words_origin(words, 1), words->word[1]);
}

int ruleline_take(struct policy *policy, const struct words *words,
		  enum policy_layer layer, unsigned int tier, struct why *why)
{
	struct policy_rule rule = {
		.decision = decision_read(span_of(words->word[0])),
		.origin = words_origin(words, 0),
		.layer = layer,
		.tier = tier,
	};
	size_t at = 2;
	int r;

	r = read_action(&rule.action, words, why);
	while (r >= 0 && at < words->count) {
		r = take_field(&rule, words, at, why);
		at += r > 0 ? (size_t)r : 0;
	}
	if (r < 0)
		return r;
	if (layer != POLICY_DEFAULTS)
		warn_reserved(policy, words, rule.action);
	rule_add(policy, &rule);
	return 0;
}
