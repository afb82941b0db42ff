/* SPDX-License-Identifier: ISC */
/*
 * What of a project policies hide, whichever layer says so: a ceiling narrows,
 * and hides as well.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "policy/glob.h"
#include "policy/path.h"
#include "workspace/hidden.h"

/* A hidden directory hides all that is in it. */
static bool fits(const char *pattern, const char *path)
{
	const struct span glob = span_of(pattern);
	const char *end = path;

	if (!strchr(pattern, '*'))
		return !strncmp(path, pattern, glob.len) &&
		       (!path[glob.len] || path[glob.len] == '/');
	do {
		end += *end == '/';
		end += strcspn(end, "/");
		if (glob_match(glob,
			       (struct span){ path, (size_t)(end - path) }))
			return true;
	} while (*end);
	return false;
}

static bool hides(const struct hiding *hiding, const char *path)
{
	size_t i;

	for (i = 0; i < hiding->patterns->count; i++)
		if (fits(hiding->patterns->items[i], path))
			return true;
	return false;
}

/*
 * What of @path is behind the project's root, which may be called by other
 * names than its own; NULL if that is somewhere else.
 */
static const char *below_root(const char *path, const char *root)
{
	const size_t len = strlen(root);
	autofree char *above = alloc_copy(path, strlen(path));
	char *slash = above;

	if (space_within(path, root))
		return path + len;
	while ((slash = strchr(slash + 1, '/'))) {
		autofree char *real = NULL;

		*slash = '\0';
		real = realpath(above, NULL);
		if (real && !strcmp(real, root))
			return path + (slash - above);
		*slash = '/';
	}
	return NULL;
}

/* Notes @pattern, a path or pattern in the project. */
static void add_pattern(struct hides *found, const char *pattern,
			const struct policy_origin *at)
{
	size_t len;

	pattern += strspn(pattern, "/");
	len = path_hidden_len(pattern);
	if (!len || !strcmp(pattern, "**"))
		die(EXIT_MISUSE,
		    "%s:%u:%u: cannot hide the project from a run in it",
		    at->file, at->line, at->column);
	if (strcspn(pattern, "?[") < len)
		die(EXIT_MISUSE,
		    "%s:%u:%u: cannot hide the pattern '%s': of what stands "
		    "for other bytes, only * and ** are held",
		    at->file, at->line, at->column, pattern);
	names_add(&found->patterns, (struct span){ pattern, len });
	if (!policy_is_shipped(at))
		names_add(&found->meant, (struct span){ pattern, len });
}

static void add_statement(struct hides *found, const struct rules *rules,
			  const struct policy_statement *statement)
{
	const struct policy_origin *at = &statement->origin;
	const char *word = statement->words[0];
	autobuf struct buf path = { 0 };
	struct why why = { 0 };

	if (*word == '~' || *word == '@') {
		if (policy_path(&path, word, rules->policy.home, rules->root,
				&why) < 0)
			die(EXIT_MISUSE, "%s:%u:%u: %s", at->file, at->line,
			    at->column, why.text);
		word = buf_str(&path);
	}
	if (*word == '/')
		word = below_root(word, rules->root);
	if (word)
		add_pattern(found, word, at);
}

void hides_find(struct hides *found, const struct rules *rules)
{
	const struct policy *policy = &rules->policy;
	size_t i;

	for (i = 0; i < policy->statement_count; i++)
		if (policy->statements[i].keyword == POLICY_HIDE)
			add_statement(found, rules, &policy->statements[i]);
	names_tidy(&found->patterns);
	names_tidy(&found->meant);
	found->hiding =
		(struct hiding){ hides, &found->patterns, &found->meant };
}

void hides_read(struct hides *found, struct space *space)
{
	struct why why = { 0 };

	if (!space->hidden)
		return;
	if (hidden_patterns(&found->patterns, space, &why) < 0)
		die_why(&why);
	found->hiding = (struct hiding){ hides, &found->patterns, NULL };
	space->hiding = &found->hiding;
}

void hides_drop(struct hides *found)
{
	names_drop(&found->patterns);
	names_drop(&found->meant);
}
