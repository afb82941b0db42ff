/* SPDX-License-Identifier: ISC */
/*
 * What is said of the policies before the first answer: what of them nothing
 * in this version holds or asks for, what is above a ceiling, what has expired,
 * and that the project's own has changed.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/day.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-policy-eval.h"
#include "policy/bounds.h"
#include "policy/policy.h"
#include "spec/limits.h"

#define NAMED_MAX 4 /* statements that one warning names */

/* Which limits there are is not for lib/policy to know. */
static int check_limits(const struct policy *policy, struct why *why)
{
	struct limits limits;
	size_t i;

	limits_init(&limits);
	for (i = 0; i < policy->statement_count; i++) {
		const struct policy_statement *at = &policy->statements[i];
		struct why reason = { 0 };

		if (at->keyword == POLICY_LIMIT &&
		    limits_read(&limits, span_of(at->words[0]),
				span_of(at->words[1]), &reason) < 0)
			return why_set(why, EINVAL, "%s:%u:%u: %s",
				       at->origin.file, at->origin.line,
				       at->origin.column, reason.text);
	}
	return 0;
}

static bool is_named(const char *const *names, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count && strcmp(names[i], name) != 0; i++)
		continue;
	return i < count;
}

/* One line about the file of item @first, and all of it that is not held. */
static void say_file(const struct policy *policy, size_t first)
{
	const struct policy_origin *at = &policy->unheld[first].origin;
	const char *names[NAMED_MAX];
	autobuf struct buf text = { 0 };
	size_t count = 0, more = 0;
	size_t i;

	for (i = first; i < policy->unheld_count; i++) {
		const struct policy_unheld *item = &policy->unheld[i];

		if (item->origin.file != at->file ||
		    is_named(names, count, item->what))
			continue;
		if (count == NAMED_MAX) {
			more++;
			continue;
		}
		names[count++] = item->what;
		buf_addf(&text, "%s'%s'", text.len ? ", " : "", item->what);
	}
	if (more)
		buf_addf(&text, " and %zu more", more);
	warn("%s:%u:%u: nothing in this version holds %s: do not rely on it",
	     at->file, at->line, at->column, buf_str(&text));
}

static void say_unheld(const struct policy *policy)
{
	size_t i, j;

	for (i = 0; i < policy->unheld_count; i++) {
		for (j = 0; policy->unheld[j].origin.file !=
			    policy->unheld[i].origin.file;
		     j++)
			continue;
		if (j == i)
			say_file(policy, i);
	}
}

/* The sandbox's bounds are for chock-spawn to say, and for --check. */
static void say_bounds(const struct judge *judge)
{
	enum holder holder = judge->options->way == WAY_CHECK ? HOLDER_ALL
							      : HOLDER_EVAL;
	autobuf struct buf lines = { 0 };
	char today[DAY_LEN + 1];
	struct why why = { 0 };

	day_today(today);
	if (bounds_check(&judge->policy, today, holder, &lines, &why) < 0)
		die_why(&why);
	warn_lines(buf_span(&lines));
}

static void say_warnings(const struct policy *policy)
{
	size_t i = 0;

	while (i < policy->warning_count) {
		const struct policy_warning *first = &policy->warnings[i];
		size_t next = i + 1;

		/* Who names a shipped policy can do nothing about it. */
		if (policy_is_shipped(&first->origin)) {
			i = next;
			continue;
		}
		while (next < policy->warning_count &&
		       policy->warnings[next].origin.file == first->origin.file)
			next++;
		if (next - i > 1)
			warn("%s:%u:%u: '%s' and %zu more are reserved: "
			     "nothing in this version asks for them by itself",
			     first->origin.file, first->origin.line,
			     first->origin.column, first->text, next - i - 1);
		else
			warn("%s:%u:%u: '%s' is reserved: nothing in this "
			     "version asks for it by itself",
			     first->origin.file, first->origin.line,
			     first->origin.column, first->text);
		i = next;
	}
}

/* What an option says, or another policy, holds in spite of it. */
static void say_ceilings(const struct opt_list *policies)
{
	size_t i;

	for (i = 0; i < policies->count; i++)
		if (policyfiles_is_ceiling(policies->items[i]))
			warn("--policy: '%s' is a ceiling, and binds neither "
			     "rules nor other policies this way; '--ceiling "
			     "%s' does",
			     policies->items[i], policies->items[i]);
}

/* That it was never trusted is for the porcelain to say, once. */
static void say_trust(const struct judge *judge)
{
	autobuf struct buf line = { 0 };

	if (judge->files.trust != PROJECT_CHANGED)
		return;
	policyfiles_trust_line(&line, &judge->files, judge->real_project);
	warn("%s", buf_str(&line));
}

void judge_warn(struct judge *judge)
{
	struct why why = { 0 };

	if (check_limits(&judge->policy, &why) < 0)
		die_why(&why);
	/* A check finds them itself. */
	if (judge->options->way != WAY_CHECK) {
		say_warnings(&judge->policy);
		say_unheld(&judge->policy);
	}
	say_ceilings(&judge->options->policies);
	say_bounds(judge);
	say_trust(judge);
}
