/* SPDX-License-Identifier: ISC */
#include "policy/restriction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/why.h"
#include "policy/decide.h"

/* What holds where one was not taken in: nothing is permitted. */
static const struct restriction everything = {
	.action = "any",
	.at_most = DECISION_DENY,
	.reason = "there is no room for another restriction",
};

static size_t chain_len(const char *chain, size_t agents)
{
	const char *end = chain;

	while (agents--)
		end += strlen(end) + 1;
	return (size_t)(end - chain);
}

static bool same_chain(const struct restriction *restriction, const char *chain,
		       size_t agents)
{
	size_t len = chain_len(chain, agents);

	return restriction->agents == agents &&
	       chain_len(restriction->chain, agents) == len &&
	       (!len || !memcmp(restriction->chain, chain, len));
}

static bool same(const struct restriction *a, const struct restriction *b)
{
	return a->at_most == b->at_most && !strcmp(a->action, b->action) &&
	       same_chain(a, b->chain, b->agents);
}

/* The class, or absent for `any`; it was read from @from's text. */
static struct rule_field move_field(const struct restriction *from,
				    const char *action)
{
	struct rule_field field = from->field;

	if (field.name.data)
		field.name.data = action;
	return field;
}

int restriction_add(struct restrictions *all, const struct restriction *new,
		    struct why *why)
{
	struct restriction *added;
	size_t i;

	for (i = 0; i < all->count; i++)
		if (same(&all->items[i], new))
			return (int)all->items[i].number;
	if (all->count == RESTRICTIONS_MAX) {
		all->full = true;
		return why_set(why, ENOSPC,
			       "more than %d restrictions; from now on "
			       "everything is denied",
			       RESTRICTIONS_MAX);
	}
	all->items = alloc_array(all->items, all->count, sizeof(*all->items));
	added = &all->items[all->count++];
	*added = *new;
	added->number = ++all->made;
	added->action = alloc_copy(new->action, strlen(new->action));
	added->field = move_field(new, added->action);
	added->reason = alloc_copy(new->reason, strlen(new->reason));
	added->chain = alloc_copy(new->chain ? new->chain : "",
				  chain_len(new->chain, new->agents));
	return (int)added->number;
}

static bool is_named(const struct restriction *restriction,
		     const struct restriction_name *name)
{
	if (strcmp(restriction->action, name->action) != 0)
		return false;
	if (name->at_most != DECISIONS && name->at_most != restriction->at_most)
		return false;
	return !name->chain ||
	       same_chain(restriction, name->chain, name->agents);
}

/* Puts where in @all it is into @at. */
static int find(size_t *at, const struct restrictions *all,
		const struct restriction_name *name, struct why *why)
{
	size_t found = 0;
	size_t i;

	for (i = 0; i < all->count; i++)
		if (is_named(&all->items[i], name)) {
			*at = i;
			found++;
		}
	if (!found)
		return why_set(why, ENOENT,
			       "no restriction that is in force is written "
			       "'%s'",
			       name->action);
	if (found > 1)
		return why_set(why, EINVAL,
			       "%zu restrictions are written '%s'; name the "
			       "agent, and what it permits at most",
			       found, name->action);
	return (int)all->items[*at].number;
}

int restriction_find(const struct restrictions *all,
		     const struct restriction_name *name, struct why *why)
{
	size_t at;

	return find(&at, all, name, why);
}

static void release(struct restriction *restriction)
{
	free((char *)restriction->action);
	free((char *)restriction->reason);
	free((char *)restriction->chain);
}

int restriction_lift(struct restrictions *all,
		     const struct restriction_name *name, struct why *why)
{
	size_t at = 0;
	int number = find(&at, all, name, why);

	if (number < 0)
		return number;
	release(&all->items[at]);
	/* In order: of equals the first one is named in an answer. */
	memmove(&all->items[at], &all->items[at + 1],
		(all->count - at - 1) * sizeof(*all->items));
	all->count--;
	return number;
}

bool restriction_binds(const struct restriction *restriction,
		       const struct question *question)
{
	const struct asker *asker = question->asker;
	const char *kind = restriction->chain;
	size_t i;

	if (!rule_field_fits(restriction->field, question->action) ||
	    asker->chain_count < restriction->agents)
		return false;
	for (i = 0; i < restriction->agents; i++) {
		if (!span_is(asker->chain[i], kind))
			return false;
		kind += strlen(kind) + 1;
	}
	return true;
}

const struct restriction *restriction_least(const struct restrictions *all,
					    const struct question *question)
{
	const struct restriction *least = NULL;
	size_t i;

	if (!all)
		return NULL;
	if (all->full)
		return &everything;
	for (i = 0; i < all->count; i++)
		if ((!least || all->items[i].at_most > least->at_most) &&
		    restriction_binds(&all->items[i], question))
			least = &all->items[i];
	return least;
}

void restrictions_drop(struct restrictions *all)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		release(&all->items[i]);
	free(all->items);
	*all = (struct restrictions){ 0 };
}
