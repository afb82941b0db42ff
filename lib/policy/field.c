/* SPDX-License-Identifier: ISC */
#include "policy/field.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/action.h"

/* Splits the ".*" of a class off; what is left must have no star. */
int field_read(struct rule_field *field, const char *word, struct why *why)
{
	struct span name = span_of(word);

	field->class = name.len > 2 &&
		       !memcmp(name.data + name.len - 2, ".*", 2);
	if (field->class)
		name.len -= 2;
	field->name = name;
	if (!name.len || memchr(name.data, '*', name.len) || *name.data == '.')
		return why_set(why, EINVAL,
			       "'%s' is neither a name nor a class, which "
			       "ends in '.*'; every one is said by 'any'",
			       word);
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

static int unknown_action(struct rule_field action, const char *word,
			  struct why *why)
{
	autobuf struct buf near = { 0 };

	if (lacks_escape(action.name))
		return why_set(why, EINVAL,
			       "'%s' is no action; a dot inside a name is "
			       "written %%2E",
			       word);
	if (!action.class && action_space_above(action.name))
		return why_set(why, EINVAL,
			       "'%s' is no action; what is below it is '%s.*'",
			       word, word);
	if (action.class && action_space(action.name))
		return why_set(why, EINVAL,
			       "'%s' is no action; nothing is below '%.*s'",
			       word, (int)action.name.len, action.name.data);
	action_nearest(&near, action.name, action.class);
	if (near.len)
		return why_set(why, EINVAL,
			       "'%s' is no action; did you mean '%s%s'?", word,
			       buf_str(&near), action.class ? ".*" : "");
	return why_set(why, EINVAL, "'%s' is no action; see chock-policy(5)",
		       word);
}

const struct action_space *field_space(struct rule_field field)
{
	return field.class ? action_space_above(field.name)
			   : action_space(field.name);
}

int field_read_action(struct rule_field *field, const char *word,
		      struct why *why)
{
	const char *fault;

	*field = (struct rule_field){ .class = false };
	if (!strcmp(word, "any"))
		return 0;
	if (field_read(field, word, why) < 0)
		return -why->errnum;
	fault = action_fault(field->name);
	if (fault)
		return why_set(why, EINVAL, "'%s' has %s", word, fault);
	return field_space(*field) ? 0 : unknown_action(*field, word, why);
}
