/* SPDX-License-Identifier: ISC */
#include "lint/lint.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "lint/linting.h"
#include "policy/pool.h"
#include "policy/tell.h"

static const struct {
	const char *name;
	bool note;
} kinds[LINT_KINDS] = {
	[LINT_NEVER_WINS] = { "never-wins", false },
	[LINT_SAME_ANSWER] = { "same-answer", false },
	[LINT_OVERRULED] = { "overruled", false },
	[LINT_CEILING] = { "ceiling", false },
	[LINT_ANCESTOR] = { "ancestor", false },
	[LINT_CEILING_ALLOWS] = { "ceiling-allows", false },
	[LINT_NEVER_CARRIED] = { "never-carried", false },
	[LINT_NEVER_MATCHES] = { "never-matches", false },
	[LINT_RESERVED] = { "reserved", true },
	[LINT_PUBLIC_SUFFIX] = { "public-suffix", false },
	[LINT_ALLOWS_ALL] = { "allows-all", false },
	[LINT_ALLOWS_UNPARSED] = { "allows-unparsed", false },
	[LINT_ALLOWS_WIDENING] = { "allows-widening", false },
	[LINT_GRANTS_ALL] = { "grants-all", false },
	[LINT_HIDDEN] = { "hidden", false },
	[LINT_UNHELD] = { "unheld", false },
	[LINT_UNFINISHED] = { "unfinished", false },
};

void lint_add(struct lint *lint, enum lint_kind kind,
	      const struct policy_origin *origin, const struct buf *text)
{
	lint->findings = alloc_array(lint->findings, lint->count,
				     sizeof(*lint->findings));
	lint->findings[lint->count++] = (struct lint_finding){
		kind, *origin, pool_keep(&lint->memory, buf_span(text))
	};
	lint->warnings += !kinds[kind].note;
}

static int compare(const void *a, const void *b)
{
	const struct lint_finding *left = a;
	const struct lint_finding *right = b;
	int order = strcmp(left->origin.file, right->origin.file);

	if (!order)
		order = (left->origin.line > right->origin.line) -
			(left->origin.line < right->origin.line);
	if (!order)
		order = (left->origin.column > right->origin.column) -
			(left->origin.column < right->origin.column);
	if (!order)
		order = strcmp(kinds[left->kind].name, kinds[right->kind].name);
	return order ? order : strcmp(left->text, right->text);
}

/* It stands where the first rule stands: it is about all of them. */
static void add_unfinished(struct linting *linting)
{
	autobuf struct buf text = { 0 };

	buf_addf(&text, "more than %zu pairs of rules; not all were compared",
		 LINT_COMPARED_MAX);
	lint_add(linting->lint, LINT_UNFINISHED,
		 &linting->policy->rules[0].origin, &text);
}

void lint(struct lint *lint, const struct policy *policy,
	  const struct suffixes *suffixes)
{
	struct linting linting = { .lint = lint,
				   .policy = policy,
				   .suffixes = suffixes };

	linting_sort(&linting);
	lint_rules(&linting);
	lint_acts(&linting);
	lint_grants(&linting);
	if (linting.compared > LINT_COMPARED_MAX)
		add_unfinished(&linting);
	linting_drop(&linting);
	if (lint->count)
		qsort(lint->findings, lint->count, sizeof(*lint->findings),
		      compare);
}

void lint_lines(struct buf *lines, const struct lint *lint)
{
	size_t i;

	for (i = 0; i < lint->count; i++) {
		const struct lint_finding *finding = &lint->findings[i];

		tell_place(lines, &finding->origin);
		buf_addf(lines, ":%u: %s: %s [%s]\n", finding->origin.column,
			 kinds[finding->kind].note ? "note" : "warning",
			 finding->text, kinds[finding->kind].name);
	}
}

void lint_drop(struct lint *lint)
{
	free(lint->findings);
	pool_drop(&lint->memory);
	*lint = (struct lint){ .count = 0 };
}
