/* SPDX-License-Identifier: ISC */
#include "workspace/obstacle.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "workspace/dirt.h"
#include "workspace/quote.h"

/* What git leaves in its directory while something is not finished. */
static const struct {
	const char *name;
	const char *reason;
} markers[] = {
	{ "MERGE_HEAD", "a merge is not finished" },
	{ "rebase-merge", "a rebase is not finished" },
	{ "rebase-apply", "a rebase or am is not finished" },
	{ "CHERRY_PICK_HEAD", "a cherry-pick is not finished" },
	{ "REVERT_HEAD", "a revert is not finished" },
	{ "sequencer", "a cherry-pick or revert is not finished" },
	{ "BISECT_LOG", "a bisect is not finished" },
};

static void find_marker(struct buf *reason, const struct project *p)
{
	size_t i;

	for (i = 0; !reason->len && i < sizeof(markers) / sizeof(*markers);
	     i++) {
		autofree char *path = alloc_text("%s/%s", buf_str(&p->git_dir),
						 markers[i].name);

		if (!faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
			buf_adds(reason, markers[i].reason);
	}
}

static void check_branch(struct buf *reason, const struct space *s,
			 const struct project *p)
{
	if (!s->branch.len || !p->branch.len)
		buf_adds(reason, "no branch is checked out");
	else if (!span_equal(buf_span(&s->branch), buf_span(&p->branch)))
		buf_adds(reason, "another branch is checked out by now");
	else if (!s->head.len)
		buf_adds(reason, "the branch had no commit yet");
	else if (!span_equal(buf_span(&s->head), buf_span(&p->head)))
		buf_adds(reason, "the branch moved since the session began");
}

/* Another working tree would still show the old commit. */
static int check_trees(struct buf *reason, const struct project *p,
		       struct why *why)
{
	static const char *const args[] = { "worktree", "list", "--porcelain",
					    "-z", NULL };
	autofree char *mark = alloc_text("branch %s", buf_str(&p->branch));
	autofree char *linked =
		alloc_text("%s/worktrees", buf_str(&p->common_dir));
	autobuf struct buf out = { 0 };
	autonames struct names lines = { 0 };
	struct git git = project_git(p);
	size_t found = 0;
	size_t i;
	int r;

	if (reason->len || access(linked, F_OK) < 0)
		return 0;
	r = git_settle(&git, git_read(&git, args, &out, why),
		       "list the working trees", why);
	names_split(&lines, buf_span(&out), '\0');
	for (i = 0; i < lines.count; i++)
		found += !strcmp(lines.items[i], mark);
	if (found > 1)
		buf_adds(reason, "the branch is checked out in another working "
				 "tree as well");
	return r;
}

static void check_kinds(struct buf *reason, const struct effect *e)
{
	size_t i = 0;

	if (!reason->len && e->modules) {
		while (!change_is_module(&e->changes[i]))
			i++;
		buf_adds(reason, "the submodule '");
		quote_line(reason, span_of(e->changes[i].path));
		buf_adds(reason, "' changes");
	}
	if (!reason->len && e->filtered.len) {
		buf_addc(reason, '\'');
		quote_line(reason, buf_span(&e->filtered));
		buf_adds(reason, "' has a filter, and filters do not run here");
	}
}

static void add_count(struct buf *reason, size_t count, const char *one)
{
	if (!count)
		return;
	if (reason->len)
		buf_adds(reason, " and ");
	buf_addf(reason, "%zu %s%s", count, one, count == 1 ? "" : "s");
}

static int check_dirt(struct buf *reason, const struct space *s,
		      const struct project *p, struct why *why)
{
	autodirt struct dirt dirt = { 0 };
	int r;

	if (reason->len)
		return 0;
	r = dirt_find(&dirt, s, p, why);
	if (r < 0)
		return r;
	add_count(reason, dirt.changed.count, "uncommitted change");
	add_count(reason, dirt.untracked.count, "untracked file");
	if (reason->len)
		buf_adds(reason, " in the way");
	return 0;
}

static bool is_removed(const struct effect *e, const char *path, size_t len)
{
	size_t i;

	for (i = 0; i < e->change_count; i++)
		if (e->changes[i].status == 'D' &&
		    strlen(e->changes[i].path) == len &&
		    !memcmp(e->changes[i].path, path, len))
			return true;
	return false;
}

/*
 * Whether something is where the new file @path goes.  A parent that is a
 * file is none if it is one that the commits remove.
 */
static bool is_taken(const struct effect *e, int root_fd, const char *path)
{
	autofree char *part = alloc_copy(path, strlen(path));
	char *slash = part;
	struct stat st;

	while ((slash = strchr(slash, '/'))) {
		*slash = '\0';
		if (fstatat(root_fd, part, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return errno != ENOENT;
		if (!S_ISDIR(st.st_mode))
			return !is_removed(e, part, strlen(part));
		*slash++ = '/';
	}
	return !fstatat(root_fd, path, &st, AT_SYMLINK_NOFOLLOW) ||
	       errno != ENOENT;
}

/*
 * git takes a file that is ignored for one that it may overwrite; the person
 * may think otherwise of their .env.
 */
static int check_ignored(struct buf *reason, const struct project *p,
			 const struct effect *e, struct why *why)
{
	autoclose int root_fd =
		open(buf_str(&p->root), O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i;

	if (root_fd < 0)
		return why_sys(why, errno, "cannot open '%s'",
			       buf_str(&p->root));
	for (i = 0; !reason->len && i < e->change_count; i++) {
		if (e->changes[i].status != 'A' ||
		    !is_taken(e, root_fd, e->changes[i].path))
			continue;
		buf_adds(reason, "an ignored file is where '");
		quote_line(reason, span_of(e->changes[i].path));
		buf_adds(reason, "' would be");
	}
	return 0;
}

int obstacle_find(struct buf *reason, const struct space *space,
		  const struct project *project, const struct effect *effect,
		  struct why *why)
{
	int r;

	check_branch(reason, space, project);
	find_marker(reason, project);
	r = check_trees(reason, project, why);
	check_kinds(reason, effect);
	if (!r)
		r = check_dirt(reason, space, project, why);
	return r < 0 ? r : check_ignored(reason, project, effect, why);
}
