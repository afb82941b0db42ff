/* SPDX-License-Identifier: ISC */
#include "policy/bounds.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/bug.h"
#include "base/num.h"
#include "base/why.h"

/* 13 limits, each as a number and as a part; the two of subagents; the rest. */
#define SLOTS_MAX 32

/* One number, or word, of a statement that can be above another. */
struct amount {
	const struct policy_statement *statement;
	size_t word;       /* where it stands */
	const char *about; /* what it is the amount of */
	bool percent;
	uint64_t value;
};

/* The narrowest amount of each kind. */
struct bounds {
	struct amount slots[SLOTS_MAX];
	size_t count;
};

struct check {
	const struct policy *policy;
	struct bounds ceilings;
	struct bounds own; /* the limits of the person's own policy */
	enum holder holder;
	struct buf *lines;
};

/* ---- amounts ------------------------------------------------------------ */

static bool read_limit(struct amount *amount, const char *key, const char *word)
{
	struct span text = span_of(word);

	amount->percent = text.len && word[text.len - 1] == '%';
	if (!strcmp(word, "none")) {
		amount->value = UINT64_MAX;
		return true;
	}
	if (amount->percent) {
		text.len--;
		return !num_read(&amount->value, text, UINT64_MAX);
	}
	if (!strcmp(key, "time") || !strcmp(key, "cpu-time"))
		return !num_read_seconds(&amount->value, text, UINT64_MAX);
	return !num_read_size(&amount->value, text, UINT64_MAX);
}

/* The place of @word among @words, which are ordered from the narrowest. */
static bool read_rank(struct amount *amount, const char *const *words,
		      const char *word)
{
	for (amount->value = 0; words[amount->value]; amount->value++)
		if (!strcmp(words[amount->value], word))
			return true;
	return false;
}

/*
 * Amount @index of @statement, counted from 0; false behind the last, and for
 * one that cannot be read.
 */
static bool read_amount(struct amount *amount,
			const struct policy_statement *statement, size_t index)
{
	/* Landlock holds less than namespaces do; auto may be either. */
	static const char *const drivers[] = { "namespaces", "landlock", "auto",
					       NULL };
	static const char *const nets[] = { "none", "filtered", "host", NULL };
	const char *const *words = statement->words;

	*amount = (struct amount){ .statement = statement };
	if (index && statement->keyword != POLICY_SUBAGENTS)
		return false;
	if (statement->keyword == POLICY_NET)
		return read_rank(amount, nets, words[0]);
	if (statement->keyword == POLICY_DRIVER)
		return read_rank(amount, drivers, words[0]);
	if (statement->keyword != POLICY_LIMIT &&
	    statement->keyword != POLICY_SUBAGENTS &&
	    statement->keyword != POLICY_BUDGET)
		return false;
	amount->word = 2 * index + 1;
	if (amount->word >= statement->count)
		return false;
	amount->about = words[amount->word - 1];
	if (statement->keyword == POLICY_LIMIT)
		return read_limit(amount, amount->about, words[amount->word]);
	return !num_read(&amount->value, span_of(words[amount->word]),
			 UINT64_MAX);
}

/* ---- bounds ------------------------------------------------------------- */

static bool same_kind(const struct amount *a, const struct amount *b)
{
	return a->statement->keyword == b->statement->keyword &&
	       a->percent == b->percent && !a->about == !b->about &&
	       (!a->about || !strcmp(a->about, b->about));
}

/* The bound for @amount, or NULL. */
static struct amount *find(struct bounds *bounds, const struct amount *amount)
{
	size_t i;

	for (i = 0; i < bounds->count; i++)
		if (same_kind(&bounds->slots[i], amount))
			return &bounds->slots[i];
	return NULL;
}

static void add_bounds(struct bounds *bounds,
		       const struct policy_statement *statement)
{
	struct amount amount;
	struct amount *old;
	size_t i;

	for (i = 0; read_amount(&amount, statement, i); i++) {
		old = find(bounds, &amount);
		if (!old) {
			bug_if(bounds->count == SLOTS_MAX);
			bounds->slots[bounds->count++] = amount;
		} else if (amount.value < old->value) {
			*old = amount;
		}
	}
}

static void find_bounds(struct check *check)
{
	const struct policy *policy = check->policy;
	size_t i;

	for (i = 0; i < policy->statement_count; i++) {
		const struct policy_statement *statement =
			&policy->statements[i];

		if (statement->layer == POLICY_CEILING)
			add_bounds(&check->ceilings, statement);
		else if (statement->layer == POLICY_OPERATOR &&
			 statement->keyword == POLICY_LIMIT)
			add_bounds(&check->own, statement);
	}
}

/* The narrowest of what bounds @asked, if @asked is above it, or NULL. */
static const struct amount *bound_of(struct check *check,
				     const struct amount *asked)
{
	const struct amount *bound = find(&check->ceilings, asked);
	const struct amount *own = asked->statement->layer == POLICY_PROJECT
					   ? find(&check->own, asked)
					   : NULL;

	if (!bound || (own && own->value < bound->value))
		bound = own;
	return bound && asked->value > bound->value ? bound : NULL;
}

/* ---- saying ------------------------------------------------------------- */

/* "FILE:LINE:COLUMN: limit memory 8GiB is above the 4GiB of FILE:LINE: " */
static void add_both(struct buf *line, const struct amount *asked,
		     const struct amount *bound)
{
	const struct policy_origin *at = &asked->statement->origin;
	const struct policy_origin *by = &bound->statement->origin;

	buf_addf(line,
		 "%s:%u:%u: %s %s%s%s is above the %s of %s:%u: ", at->file,
		 at->line, at->column,
		 policy_keyword_word(asked->statement->keyword),
		 asked->about ? asked->about : "", asked->about ? " " : "",
		 asked->statement->words[asked->word],
		 bound->statement->words[bound->word], by->file, by->line);
}

static int compare(struct check *check,
		   const struct policy_statement *statement, struct why *why)
{
	enum holder holder = held_by(statement->keyword);
	const struct amount *bound;
	struct amount asked;
	size_t i;

	for (i = 0; read_amount(&asked, statement, i); i++) {
		autobuf struct buf line = { 0 };

		bound = bound_of(check, &asked);
		if (!bound)
			continue;
		add_both(&line, &asked, bound);
		if (statement->keyword == POLICY_BUDGET)
			return why_set(why, EINVAL, "%snothing is started",
				       buf_str(&line));
		if (check->holder != HOLDER_ALL && check->holder != holder)
			continue;
		buf_add(check->lines, buf_span(&line));
		buf_addf(check->lines, "%s holds\n",
			 bound->statement->words[bound->word]);
	}
	return 0;
}

static int expire(struct check *check, const struct policy_statement *statement,
		  const char *today, struct why *why)
{
	const struct policy_origin *at = &statement->origin;

	if (strcmp(today, statement->words[0]) <= 0)
		return 0;
	if (statement->layer != POLICY_CEILING)
		return why_set(why, EINVAL,
			       "%s:%u:%u: this policy expired after %s, and "
			       "nothing is granted by it",
			       at->file, at->line, at->column,
			       statement->words[0]);
	buf_addf(check->lines,
		 "%s:%u:%u: this ceiling expired after %s, and binds "
		 "nevertheless\n",
		 at->file, at->line, at->column, statement->words[0]);
	return 0;
}

int bounds_check(const struct policy *policy, const char *today,
		 enum holder holder, struct buf *lines, struct why *why)
{
	struct check check = { .policy = policy,
			       .holder = holder,
			       .lines = lines };
	size_t i;
	int r = 0;

	find_bounds(&check);
	for (i = 0; !r && i < policy->statement_count; i++) {
		const struct policy_statement *statement =
			&policy->statements[i];

		if (statement->keyword == POLICY_EXPIRES)
			r = expire(&check, statement, today, why);
		else if (statement->layer != POLICY_CEILING)
			r = compare(&check, statement, why);
	}
	return r;
}
