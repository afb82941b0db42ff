/* SPDX-License-Identifier: ISC */
/* Grants that are all there is, and grants of what is hidden. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "lint/linting.h"
#include "policy/path.h"
#include "policy/tell.h"

#define PROJECT "@project@/"

/* What a `hide` hides, as grants name paths. */
struct hidden {
	const struct policy_statement *statement;
	char *path;  /* owned */
	bool within; /* what is in it, and not itself */
};

static bool is_grant(const struct policy_statement *statement)
{
	return statement->keyword == POLICY_READ ||
	       statement->keyword == POLICY_WRITE;
}

static void add_statement(struct buf *text,
			  const struct policy_statement *statement)
{
	buf_addf(text, "'%s ", policy_keyword_word(statement->keyword));
	buf_add_plain(text, span_of(statement->words[0]));
	buf_addc(text, '\'');
}

/* ---- all there is ------------------------------------------------------- */

static void check_all(struct linting *linting,
		      const struct policy_statement *grant)
{
	const char *path = grant->words[0];
	autobuf struct buf text = { 0 };
	bool home = !strcmp(path, "~") || !strcmp(path, "~/");

	if (path[strspn(path, "/")] && !home)
		return;
	add_statement(&text, grant);
	buf_adds(&text, home ? " grants all of the home directory, keys and "
			       "settings of other programs among it"
			     : " grants all files that there are");
	lint_add(linting->lint, LINT_GRANTS_ALL, &grant->origin, &text);
}

/* ---- what is hidden ----------------------------------------------------- */

/* A pattern with a star in front of its last two is not compared. */
static bool read_hidden(struct hidden *hidden,
			const struct policy_statement *statement)
{
	const char *pattern = statement->words[0];
	const size_t len = path_hidden_len(pattern);

	hidden->statement = statement;
	hidden->within = pattern[len] && pattern[strlen(pattern) - 1] == '*';
	if (strcspn(pattern, "*?[") < len)
		return false;
	if (*pattern == '/' || *pattern == '~' || *pattern == '@')
		hidden->path = alloc_copy(pattern, len);
	else
		hidden->path = alloc_text(PROJECT "%.*s", (int)len, pattern);
	return true;
}

static bool hides(const struct hidden *hidden, const char *path)
{
	size_t len = strlen(hidden->path);
	const char *rest = path + len;

	if (strncmp(path, hidden->path, len) != 0)
		return false;
	rest += strspn(rest, "/");
	if (!*rest)
		return !hidden->within;
	return path[len] == '/';
}

static void check_hidden(struct linting *linting,
			 const struct policy_statement *grant,
			 const struct hidden *hidden, size_t count)
{
	autobuf struct buf text = { 0 };
	size_t i;

	for (i = 0; i < count && !hides(&hidden[i], grant->words[0]); i++)
		continue;
	if (i == count)
		return;
	add_statement(&text, grant);
	buf_adds(&text, " grants nothing, it is hidden by ");
	add_statement(&text, hidden[i].statement);
	buf_adds(&text, " at ");
	tell_place(&text, &hidden[i].statement->origin);
	lint_add(linting->lint, LINT_HIDDEN, &grant->origin, &text);
}

/* Who enforces refuses it, and who only judges cannot hold it. */
static void check_held(struct linting *linting,
		       const struct policy_unheld *unheld)
{
	autobuf struct buf text = { 0 };

	buf_adds(&text, "nothing in this version holds '");
	buf_add_plain(&text, span_of(unheld->what));
	buf_addc(&text, '\'');
	lint_add(linting->lint, LINT_UNHELD, &unheld->origin, &text);
}

void lint_grants(struct linting *linting)
{
	const struct policy *policy = linting->policy;
	autofree struct hidden *hidden =
		alloc_zero(policy->statement_count + 1, sizeof(*hidden));
	size_t count = 0;
	size_t i;

	for (i = 0; i < policy->unheld_count; i++)
		check_held(linting, &policy->unheld[i]);
	for (i = 0; i < policy->statement_count; i++)
		if (policy->statements[i].keyword == POLICY_HIDE)
			count += read_hidden(&hidden[count],
					     &policy->statements[i]);
	for (i = 0; i < policy->statement_count; i++) {
		const struct policy_statement *grant = &policy->statements[i];

		/* What a ceiling grants is passed over anyway. */
		if (!is_grant(grant) || grant->layer == POLICY_CEILING)
			continue;
		check_all(linting, grant);
		check_hidden(linting, grant, hidden, count);
	}
	for (i = 0; i < count; i++)
		free(hidden[i].path);
}
