/* SPDX-License-Identifier: ISC */
#include "workspace/gitdir.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/span.h"
#include "base/why.h"
#include "cow/node.h"
#include "workspace/git.h"
#include "workspace/names.h"

/* What git goes by, and what it obeys. */
static const char *const parts[] = { "HEAD",    "commondir",
				     "config",  "config.worktree",
				     "hooks",   "info",
				     "objects", "refs" };

static bool is_among(const char *const *names, size_t count, const char *part,
		     size_t len)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) == len &&
		    !strncasecmp(part, names[i], len))
			return true;
	return false;
}

static bool is_part(const char *part, size_t len)
{
	return is_among(parts, sizeof(parts) / sizeof(*parts), part, len);
}

static bool has(const struct gitdir_tree *tree, const char *dir, size_t len,
		const char *name)
{
	autofree char *path = alloc_text("%.*s%s", (int)len, dir, name);

	return tree->has(tree, path);
}

/* The first @len bytes of @path are empty, or end with a slash. */
static bool is_repository(const struct gitdir_tree *tree, const char *path,
			  size_t len)
{
	return has(tree, path, len, "HEAD") &&
	       (has(tree, path, len, "commondir") ||
		(has(tree, path, len, "objects") &&
		 has(tree, path, len, "refs")));
}

bool gitdir_has(const struct gitdir_tree *tree, const char *path)
{
	const char *part = path;
	const char *end;

	for (;; part = end + 1) {
		end = strchrnul(part, '/');
		if (end - part == 4 && !strncasecmp(part, ".git", 4))
			return true;
		if (is_part(part, (size_t)(end - part)) &&
		    is_repository(tree, path, (size_t)(part - path)))
			return true;
		if (!*end)
			return false;
	}
}

bool gitdir_of_others(const char *path)
{
	static const char *const names[] = { ".hg", ".jj", ".svn" };
	const char *end;

	for (;; path = end + 1) {
		end = strchrnul(path, '/');
		if (is_among(names, sizeof(names) / sizeof(*names), path,
			     (size_t)(end - path)))
			return true;
		if (!*end)
			return false;
	}
}

/* ---- in layers ---------------------------------------------------------- */

static bool is_in(int dir_fd, const char *path)
{
	const char *name;
	autoclose int fd = node_parent(dir_fd, path, &name);
	struct stat st;
	int r = fd < 0 ? fd : node_stat(fd, name, &st);

	if (r > 0)
		return !node_is_whiteout(&st);
	return r && r != -ENOENT && r != -ENOTDIR && r != -ELOOP;
}

bool gitdir_in_layers(const struct gitdir_tree *tree, const char *path)
{
	return is_in(tree->upper_fd, path) || is_in(tree->lower_fd, path);
}

/* ---- in a tree of git's ------------------------------------------------- */

/* What is to be asked to know of @path whether it is of a repository. */
static void add_names(struct names *names, const char *path)
{
	static const char *const asked[] = { "HEAD", "commondir", "objects",
					     "refs" };
	const char *part = path;
	const char *end;
	size_t i;

	for (;; part = end + 1) {
		end = strchrnul(part, '/');
		for (i = 0; is_part(part, (size_t)(end - part)) && i < 4; i++) {
			autofree char *name = alloc_text(
				"%.*s%s", (int)(part - path), path, asked[i]);

			names_add(names, span_of(name));
		}
		if (!*end)
			return;
	}
}

/* git is asked line by line, and about such a name it cannot be. */
static bool is_odd(const char *path)
{
	return strchr(path, '\n');
}

static bool is_in_names(const struct gitdir_tree *tree, const char *path)
{
	return is_odd(path) || names_has(tree->context, path);
}

/* A line for each that was asked about: "ID TYPE SIZE", or "... missing". */
static int take_there(struct names *there, const struct names *asked,
		      struct span out, struct why *why)
{
	size_t i;

	for (i = 0; i < asked->count; i++) {
		const struct span line = span_cut(&out, '\n');

		if (is_odd(asked->items[i]))
			continue;
		if (!line.len)
			return why_set(why, EBADMSG,
				       "the session's work is refused: its "
				       "tree cannot be read");
		if (line.len < strlen(" missing") ||
		    memcmp(line.data + line.len - strlen(" missing"),
			   " missing", strlen(" missing")) != 0)
			names_add(there, span_of(asked->items[i]));
	}
	return 0;
}

static int look(struct names *there, struct names *asked,
		const struct effect *effect, struct git *git, struct why *why)
{
	static const char *const args[] = { "cat-file", "--batch-check", NULL };
	autobuf struct buf lines = { 0 };
	autobuf struct buf out = { 0 };
	size_t i;
	int r;

	for (i = 0; i < asked->count; i++)
		if (!is_odd(asked->items[i]))
			buf_addf(&lines, "%s:%s\n", buf_str(&effect->tree),
				 asked->items[i]);
	r = lines.len ? git_filter(git, args, buf_span(&lines), &out, why) : 0;
	if (r > 0 || lines.full)
		return why_set(why, EBADMSG,
			       "the session's work is refused: its tree "
			       "cannot be read");
	return r < 0 ? r : take_there(there, asked, buf_span(&out), why);
}

int gitdir_find(struct effect *effect, const struct space *space,
		struct why *why)
{
	autonames struct names asked = { 0 };
	autonames struct names there = { 0 };
	const struct gitdir_tree tree = { .has = is_in_names,
					  .upper_fd = -1,
					  .lower_fd = -1,
					  .context = &there };
	struct git git = space_git(space);
	size_t i;
	int r;

	for (i = 0; i < effect->change_count; i++)
		add_names(&asked, effect->changes[i].path);
	if (!asked.count)
		return 0;
	names_tidy(&asked);
	r = look(&there, &asked, effect, &git, why);
	names_tidy(&there);
	for (i = 0; !r && i < effect->change_count; i++)
		if (gitdir_has(&tree, effect->changes[i].path))
			effect->changes[i].protect = PROTECT_REPOSITORY;
	return r;
}
