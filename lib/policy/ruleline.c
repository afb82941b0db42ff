/* SPDX-License-Identifier: ISC */
#include "policy/ruleline.h"

#include <string.h>

#include "base/why.h"
#include "policy/action.h"
#include "policy/field.h"
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

/* One of the readers of policy/field.h. */
typedef int read_word(struct rule_field *field, const char *word,
		      struct why *why);

static int read_field(struct rule_field *field, const struct words *words,
		      size_t index, read_word *read, struct why *why)
{
	struct why reason = { 0 };

	if (read(field, words->word[index], &reason) < 0)
		return words_wrong(words, index, why, "%s", reason.text);
	return 0;
}

static int read_action(struct rule_field *action, const struct words *words,
		       struct why *why)
{
	if (words->count < 2)
		return words_wrong(words, 1, why, "'%s' needs an action",
				   words->word[0]);
	return read_field(action, words, 1, field_read_action, why);
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
	r = read_field(field, words, index + 1, field_read, why);
	return r < 0 ? r : 2;
}

static void warn_reserved(struct policy *policy, const struct words *words,
			  struct rule_field action)
{
	const struct action_space *space;

	if (!action.name.data)
		return;
	space = field_space(action);
	if (space && space->reserved)
		policy_warn(policy, words_origin(words, 1), words->word[1]);
}

/*
 * Whether nobody will ask for this rule.  Only the defaults, which are chock's
 * own, are passed over: they are most of what a sandbox has to read.
 */
static bool is_idle(const struct policy *policy, enum policy_layer layer,
		    const struct words *words)
{
	return layer == POLICY_DEFAULTS && words->count > 1 &&
	       strcmp(words->word[1], "any") != 0 &&
	       !policy_answers(policy, span_of(words->word[1]));
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

	if (is_idle(policy, layer, words))
		return 0;
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
