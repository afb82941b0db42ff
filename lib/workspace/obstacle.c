/* SPDX-License-Identifier: ISC */
#include "workspace/obstacle.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/rough.h"
#include "base/why.h"
#include "workspace/dirt.h"
#include "workspace/own.h"
#include "workspace/quote.h"
#include "workspace/sparse.h"

#define ATTRIBUTES ".gitattributes"

#define PLACES_AT_ONCE 200 /* words of a command line */

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

void obstacle_branch(struct buf *reason, const struct space *s,
		     const struct project *p)
{
	if (!s->branch.len || !p->branch.len)
		buf_adds(reason, "no branch is checked out");
	else if (!span_equal(buf_span(&s->branch), buf_span(&p->branch)))
		buf_adds(reason, "another branch is checked out by now");
	else if (!s->head.len)
		buf_adds(reason, "the branch had no commit yet");
	else if (!p->head.len)
		buf_adds(reason, "the branch has no commit any more");
}

/* What was shown starts at the commit that the branch was at then. */
static void check_moved(struct buf *reason, const struct project *p,
			const struct effect *e)
{
	if (!reason->len && !span_equal(buf_span(&e->from), buf_span(&p->head)))
		buf_adds(reason, "the branch moved since the question");
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

static void check_kinds(struct buf *reason, const struct space *s,
			const struct effect *e)
{
	size_t i = 0;

	if (!reason->len && e->modules) {
		while (!effect_is_module(&e->changes[i]))
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
	if (!reason->len && e->converted.len) {
		buf_addc(reason, '\'');
		quote_line(reason, buf_span(&e->converted));
		buf_addf(reason,
			 "' has %s by its attributes, and would not be "
			 "what was shown",
			 e->conversion);
	}
	/* Where nothing was merged no driver would have had a say. */
	if (!reason->len && e->driven.len &&
	    !span_equal(buf_span(&e->from), buf_span(&s->head))) {
		buf_addc(reason, '\'');
		quote_line(reason, buf_span(&e->driven));
		buf_adds(reason, "' has a merge driver, and those do not run "
				 "here");
	}
}

static void check_own(struct buf *reason, const struct space *s,
		      const struct effect *e)
{
	size_t i;

	for (i = 0; !reason->len && s->own.count && i < e->change_count; i++) {
		if (!own_touches(&s->own, e->changes[i].path))
			continue;
		buf_addc(reason, '\'');
		quote_line(reason, span_of(e->changes[i].path));
		buf_adds(reason, "' is chock's own, and nothing lands there");
	}
}

static bool is_removed(const struct effect *e, const char *path, size_t len)
{
	size_t i;

	for (i = 0; i < e->change_count; i++)
		if (e->changes[i].mode == EFFECT_NOTHING &&
		    strlen(e->changes[i].path) == len &&
		    !memcmp(e->changes[i].path, path, len))
			return true;
	return false;
}

/* Where new files go, and what is there already. */
struct places {
	struct git *git;
	const struct effect *effect;
	int root_fd;
	struct buf taken; /* what is in the way, of those that are asked for */
};

/* Lists files that git does not track, at @path: all, or those of one kind. */
static int list_others(const struct places *places, const char *path,
		       const char *kind, struct buf *out, struct why *why)
{
	const char *const args[] = { "--literal-pathspecs",
				     "ls-files",
				     "-z",
				     "--others",
				     kind ? kind : "--",
				     kind ? "--" : path,
				     kind ? path : NULL,
				     NULL };

	return git_settle(places->git, git_read(places->git, args, out, why),
			  "look at the files in the way", why);
}

/*
 * Whether a directory is in the place of the file @path with more in it than
 * the commits remove; git knows all that is in it and is no one's.
 */
static int is_filled(const struct places *places, const char *path,
		     struct why *why)
{
	autobuf struct buf out = { 0 };
	int r = list_others(places, path, NULL, &out, why);

	return r < 0 ? r : out.len > 0;
}

/*
 * Whether something is where the new file @path goes.  A parent that is a
 * file is none if it is one that the commits remove.
 */
static int is_taken(struct places *places, const char *path, struct why *why)
{
	autofree char *part = alloc_copy(path, strlen(path));
	char *slash = part;
	struct stat st;

	buf_reset(&places->taken);
	while ((slash = strchr(slash, '/'))) {
		*slash = '\0';
		if (fstatat(places->root_fd, part, &st, AT_SYMLINK_NOFOLLOW) <
		    0)
			return errno != ENOENT;
		if (!S_ISDIR(st.st_mode)) {
			buf_adds(&places->taken, part);
			return !is_removed(places->effect, part, strlen(part));
		}
		*slash++ = '/';
	}
	buf_adds(&places->taken, path);
	if (fstatat(places->root_fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno != ENOENT;
	return S_ISDIR(st.st_mode) ? is_filled(places, path, why) : 1;
}

static int say_taken(struct buf *reason, const struct places *places,
		     const char *path, struct why *why)
{
	autobuf struct buf out = { 0 };
	const char *taken = places->taken.len ? buf_str(&places->taken) : path;
	int r = list_others(places, taken, "--exclude-standard", &out, why);

	buf_addf(reason, "an %s file is where '",
		 out.len ? "untracked" : "ignored");
	quote_line(reason, span_of(path));
	buf_adds(reason, "' would be");
	return r;
}

/*
 * git takes a file that is ignored for one that it may overwrite; the person
 * may think otherwise of their .env.
 */
static int check_places(struct buf *reason, struct git *git,
			const struct effect *e, struct why *why)
{
	autoclose int root_fd =
		open(git->work_tree, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct places places = { git, e, root_fd, { 0 } };
	size_t i;
	int r = 0;

	if (root_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", git->work_tree);
	for (i = 0; !r && i < e->change_count; i++)
		if (e->changes[i].was == EFFECT_NOTHING)
			r = is_taken(&places, e->changes[i].path, why);
	if (r > 0)
		r = say_taken(reason, &places, e->changes[i - 1].path, why);
	buf_drop(&places.taken);
	return r;
}

/* Files of attributes in the directories above @path, as far as git reads them:
 * it follows no link to one. */
static void add_attributes(struct names *found, int root_fd, const char *path)
{
	const char *end = path;
	struct stat st;

	do {
		autofree char *place =
			alloc_text("%.*s" ATTRIBUTES, (int)(end - path), path);

		if (!fstatat(root_fd, place, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			names_add(found, span_of(place));
		end = strchr(end, '/');
	} while (end++);
}

/* Which of @places from @i on, as many as a call takes, git does not track. */
static int find_untracked(struct buf *out, struct git *git,
			  const struct names *places, size_t i, struct why *why)
{
	static const char *const list[] = {
		"--literal-pathspecs", "ls-files", "-z", "--others", "--", NULL
	};
	const size_t end = i + PLACES_AT_ONCE;
	autonames struct names args = { 0 };

	names_words(&args, list);
	for (; i < places->count && i < end; i++)
		names_add(&args, span_of(places->items[i]));
	return git_settle(git, git_read(git, names_argv(&args), out, why),
			  "look for attributes", why);
}

/*
 * Where a directory has no such file in the commit, git goes by one that just
 * lies there when it writes others; nothing that was shown knows of that.
 */
static int check_attributes(struct buf *reason, struct git *git,
			    const struct effect *e, struct why *why)
{
	autoclose int root_fd =
		open(git->work_tree, O_PATH | O_DIRECTORY | O_CLOEXEC);
	autonames struct names places = { 0 };
	autobuf struct buf out = { 0 };
	size_t i;
	int r = 0;

	for (i = 0; root_fd >= 0 && i < e->change_count; i++)
		add_attributes(&places, root_fd, e->changes[i].path);
	names_tidy(&places);
	for (i = 0; !r && !out.len && i < places.count; i += PLACES_AT_ONCE)
		r = find_untracked(&out, git, &places, i, why);
	if (r < 0 || !out.len)
		return r;
	buf_adds(reason, "git would go by '");
	quote_line(reason, span_of(buf_str(&out)));
	buf_adds(reason, "', which is not tracked, and write other bytes than "
			 "were shown");
	return 0;
}

static int check_dirt(struct buf *reason, const struct landing *landing,
		      struct dirt *dirt, struct why *why)
{
	const struct project *p = landing->project;
	const struct space *s = landing->space;
	struct git git = space_git(s);
	int r = 0;

	if (reason->len)
		return 0;
	if (!dirt->found)
		r = dirt_find_changed(dirt, s, p, why);
	if (r < 0)
		return r;
	/* The copy of the index that dirt_find_changed() made. */
	git.work_tree = buf_str(&p->root);
	git.index = s->index;
	if (dirt->changed.count)
		buf_addf(reason,
			 "%zu uncommitted change%s in the way; commit or stash "
			 "%s first",
			 dirt->changed.count, rough_plural(dirt->changed.count),
			 dirt->changed.count == 1 ? "it" : "them");
	else
		r = check_places(reason, &git, landing->effect, why);
	if (r >= 0 && !reason->len)
		r = check_attributes(reason, &git, landing->effect, why);
	return r;
}

int obstacle_find(struct buf *reason, const struct landing *landing,
		  struct dirt *dirt, struct why *why)
{
	const struct space *space = landing->space;
	const struct project *project = landing->project;
	const struct effect *effect = landing->effect;
	int r;

	obstacle_branch(reason, space, project);
	check_moved(reason, project, effect);
	find_marker(reason, project);
	r = check_trees(reason, project, why);
	check_own(reason, space, effect);
	check_kinds(reason, space, effect);
	if (!r && dirt)
		r = check_dirt(reason, landing, dirt, why);
	return r < 0 || reason->len ? r : sparse_obstacle(reason, landing, why);
}
