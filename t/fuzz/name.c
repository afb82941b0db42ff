/* SPDX-License-Identifier: ISC */
/*
 * Names of actions, paths, and patterns of paths.
 *
 * The input is two parts with a NUL between: a name and a path, or a pattern
 * and a path.
 */

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/why.h"
#include "fuzz.h"
#include "policy/action.h"
#include "policy/glob.h"
#include "policy/path.h"
#include "policy/policy.h"

#define GLOB_MAX 64 /* bytes of what is matched the slow way, too */

/* What one byte or more of any kind come to as a component comes back. */
static void check_component(struct span part)
{
	autobuf struct buf name = { 0 }, path = { 0 };

	buf_adds(&name, "fs.read");
	action_add(&name, part);
	if (!part.len || name.len > ACTION_MAX) {
		bug_if(!action_fault(buf_span(&name)));
		return;
	}
	bug_if(action_fault(buf_span(&name)));
	bug_if(!action_space(buf_span(&name)));
	bug_if(!action_path(&path, buf_span(&name)));
	bug_if(!span_equal(buf_span(&path), part));
}

/* A name is known or not, and a nearest name is one that is. */
static void check_name(struct span name)
{
	autobuf struct buf near = { 0 }, path = { 0 };

	if (action_fault(name))
		return;
	(void)action_path(&path, name);
	action_nearest(&near, name, false);
	bug_if(near.len && !action_space(buf_span(&near)));
	buf_reset(&near);
	action_nearest(&near, name, true);
	bug_if(near.len && !action_space_above(buf_span(&near)));
}

/* ---- what a pattern matches, said once more and slowly ------------------ */

struct table {
	struct span pattern;
	struct span path;
	bool *fits; /* owned; for each rest of the pattern, each of the path */
};

static bool *at(const struct table *table, size_t p, size_t s)
{
	return &table->fits[p * (table->path.len + 1) + s];
}

static bool is_whole(struct span pattern, size_t p)
{
	return p + 2 < pattern.len && pattern.data[p + 2] == '/' &&
	       (!p || pattern.data[p - 1] == '/');
}

/* Where the segment behind the one at @s starts; 0 if there is none. */
static size_t next_segment(struct span path, size_t s)
{
	while (s < path.len && path.data[s] != '/')
		s++;
	return s < path.len ? s + 1 : 0;
}

/* Whether the pattern from @p on fits the path from @s on. */
static bool fits(const struct table *table, size_t p, size_t s)
{
	struct span pattern = table->pattern;
	struct span path = table->path;
	bool more = s < path.len;
	bool star = pattern.data[p] == '*';
	size_t next = next_segment(path, s);

	if (!star)
		return more && pattern.data[p] == path.data[s] &&
		       *at(table, p + 1, s + 1);
	if (p + 1 == pattern.len || pattern.data[p + 1] != '*')
		return *at(table, p + 1, s) ||
		       (more && path.data[s] != '/' && *at(table, p, s + 1));
	if (!is_whole(pattern, p))
		return *at(table, p + 2, s) || (more && *at(table, p, s + 1));
	return *at(table, p + 3, s) || (next && *at(table, p, next));
}

static bool matches(struct span pattern, struct span path)
{
	struct table table = { pattern, path, NULL };
	size_t p, s;
	bool found;

	table.fits = alloc_zero((pattern.len + 1) * (path.len + 1),
				sizeof(*table.fits));
	*at(&table, pattern.len, path.len) = true;
	for (p = pattern.len; p-- > 0;)
		for (s = path.len + 1; s-- > 0;)
			*at(&table, p, s) = fits(&table, p, s);
	found = *table.fits;
	free(table.fits);
	return found;
}

/* ------------------------------------------------------------------------- */

static void check_path(struct span text)
{
	autobuf struct buf path = { 0 };
	autofree char *word = alloc_copy(text.data ? text.data : "", text.len);
	struct why why = { 0 };
	int r = policy_path(&path, word, "/home/x", "/project", &why);

	bug_if(!r && (!path.len || *path.data != '/'));
	bug_if(!r && path_fault(buf_span(&path)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest = { (const char *)data, size };
	struct span first = fuzz_part(&rest, '\0');

	check_component((struct span){ (const char *)data, size });
	check_name(first);
	check_path(first);
	if (first.len <= GLOB_MAX && rest.len <= GLOB_MAX)
		bug_if(glob_match(first, rest) != matches(first, rest));
	return 0;
}
