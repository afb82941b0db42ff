/* SPDX-License-Identifier: ISC */
#include "policy/asked.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/nearest.h"
#include "base/why.h"

#define NAMES (sizeof(names) / sizeof(*names))

#define AGENT 0 /* the only one that can be there more than once */

static const char *const names[] = {
	[AGENT] = "agent", "model",  "tool", "port",      "proto",
	"address",         "method", "path", "websocket", "cleartext",
};

static int unknown(struct span name, bool is_word, struct why *why)
{
	char near[NEAREST_ROOM];

	if (is_word)
		return why_set(why, EINVAL, "'%.*s' is not FIELD=VALUE%s",
			       (int)name.len, name.data,
			       nearest_clause(near, name, names, NAMES));
	return why_set(why, EINVAL, "no field '%.*s'%s", (int)name.len,
		       name.data, nearest_clause(near, name, names, NAMES));
}

static bool is_flag(const char *name)
{
	return !strcmp(name, "websocket") || !strcmp(name, "cleartext");
}

/* The first one that is named stands in for the one that was assumed. */
static int add_agent(struct asker *asker, struct span kind, bool first,
		     struct why *why)
{
	if (first)
		asker->chain_count = 0;
	if (asker->chain_count == CHAIN_MAX)
		return why_set(why, EINVAL, "more than %d agents", CHAIN_MAX);
	asker->chain[asker->chain_count++] = kind;
	return 0;
}

static int set_field(struct act *act, struct asker *asker, const char *name,
		     struct span value, struct why *why)
{
	if (!strcmp(name, "model"))
		asker->model = value;
	else if (!strcmp(name, "tool"))
		asker->tool = value;
	else
		return act_set(act, name, value, why);
	return 0;
}

/* "FIELD=VALUE", or the name of a flag. */
static int read_field(struct act *act, struct asker *asker, const char *word,
		      unsigned int *seen, struct why *why)
{
	struct span name = { word, strcspn(word, "=") };
	struct span value = span_of("yes");
	bool again;
	size_t i;

	for (i = 0; i < NAMES && !span_is(name, names[i]); i++)
		continue;
	if (i == NAMES)
		return unknown(name, !word[name.len], why);
	again = *seen & 1U << i;
	*seen |= 1U << i;
	if (again && i != AGENT)
		return why_set(why, EINVAL, "'%s' a second time", names[i]);
	if (word[name.len])
		value = span_of(word + name.len + 1);
	else if (!is_flag(names[i]))
		return why_set(why, EINVAL, "'%s' needs a value: %s=VALUE",
			       word, word);
	if (i == AGENT)
		return add_agent(asker, value, !again, why);
	return set_field(act, asker, names[i], value, why);
}

int asked_read(struct question *question, struct asker *asker,
	       const char *const *words, size_t count, struct why *why)
{
	unsigned int seen = 0;
	size_t i;
	int r = 0;

	if (!count)
		return why_set(why, EINVAL, "it names no action");
	question->action = span_of(words[0]);
	question->asker = asker;
	asker->chain[0] = span_of("main");
	asker->chain_count = 1;
	for (i = 1; !r && i < count; i++)
		r = read_field(&question->act, asker, words[i], &seen, why);
	return r ? r : decide_prepare(question, why);
}
