/* SPDX-License-Identifier: ISC */
#include "workspace/sparse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/names.h"
#include "workspace/quote.h"
#include "workspace/repo.h"

#define KEPT "sparse"

/* The same lines are two sets of files: by directories, and as an ignore file
 * has them; see git-sparse-checkout(1). */
static void tell(struct buf *text, const struct project *p)
{
	if (!p->sparse.len)
		return;
	buf_adds(text, p->settings.cone ? "cone\n" : "no cone\n");
	buf_add(text, buf_span(&p->sparse));
}

int sparse_keep(const struct space *space, const struct project *project,
		struct why *why)
{
	autobuf struct buf text = { 0 };

	tell(&text, project);
	return repo_write(space->dir, KEPT, buf_span(&text), why);
}

static int check_patterns(struct buf *reason, const struct landing *l,
			  struct why *why)
{
	autofree char *path = alloc_text("%s/" KEPT, l->space->dir);
	autobuf struct buf then = { 0 };
	autobuf struct buf now = { 0 };
	int r = file_read_path(&then, AT_FDCWD, path, BUF_MAX, why);

	if (r < 0 && r != -ENOENT)
		return r;
	tell(&now, l->project);
	if (!span_equal(buf_span(&then), buf_span(&now)))
		buf_adds(reason, "the sparse checkout has other patterns by "
				 "now");
	return 0;
}

/* The files of an index that are marked as left out: "S", a blank, the path. */
static int list_marked(struct names *out, struct git *git, struct why *why)
{
	static const char *const args[] = { "ls-files", "-t", "-z", NULL };
	autobuf struct buf bytes = { 0 };
	autonames struct names lines = { 0 };
	size_t i;
	int r = git_settle(git, git_read(git, args, &bytes, why),
			   "list the project's files", why);

	names_split(&lines, buf_span(&bytes), '\0');
	for (i = 0; i < lines.count; i++)
		if (!strncmp(lines.items[i], "S ", 2))
			names_add(out, span_of(lines.items[i] + 2));
	names_tidy(out);
	return r;
}

/*
 * What the patterns leave out of @commit is for git to say.  It does when it
 * goes from a commit to the same one: no file is to be written, and what is
 * left out is to be removed, from a directory where nothing is.
 */
static int list_left_out(struct names *out, const struct space *s,
			 const char *commit, struct why *why)
{
	const char *const fill[] = { "read-tree", commit, NULL };
	const char *const mark[] = { "read-tree", "-m",   "-u",
				     commit,      commit, NULL };
	autofree char *index = alloc_text("%s/index-sparse", s->dir);
	autofree char *nowhere = alloc_text("%s/nowhere", s->dir);
	struct git git = space_git(s);
	int r = file_mkdirs(nowhere, 0700, why);

	if (r < 0)
		return r;
	git.dir = nowhere;
	git.work_tree = nowhere;
	git.index = index;
	space_fresh_index(index);
	r = git_run(&git, fill, why);
	if (!r)
		r = git_run(&git, mark, why);
	r = git_settle(&git, r, "tell what is sparse", why);
	if (!r)
		r = list_marked(out, &git, why);
	space_fresh_index(index);
	return r;
}

static void check_changes(struct buf *reason, const struct effect *e,
			  const struct names *before, const struct names *after)
{
	size_t i;

	for (i = 0; !reason->len && i < e->change_count; i++) {
		const char *path = e->changes[i].path;

		if (!names_has(before, path) && !names_has(after, path))
			continue;
		buf_addc(reason, '\'');
		quote_line(reason, span_of(path));
		buf_adds(reason, "' is not in the sparse checkout");
	}
}

static bool is_same(const struct names *a, const struct names *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return true;
}

/* Without a change the index has the files of the commit, and no others. */
static int check_marks(struct buf *reason, const struct landing *l,
		       const struct names *left_out, struct why *why)
{
	autonames struct names marked = { 0 };
	struct git git = space_git(l->space);
	int r;

	if (reason->len)
		return 0;
	git.work_tree = buf_str(&l->project->root);
	git.index = l->space->index;
	r = list_marked(&marked, &git, why);
	if (!r && !is_same(&marked, left_out))
		buf_adds(reason, "the files are not those of the sparse "
				 "checkout; 'git sparse-checkout reapply' "
				 "makes them so");
	return r;
}

int sparse_obstacle(struct buf *reason, const struct landing *landing,
		    struct why *why)
{
	const struct effect *e = landing->effect;
	autonames struct names before = { 0 };
	autonames struct names after = { 0 };
	int r = check_patterns(reason, landing, why);

	if (r < 0 || reason->len || !landing->project->sparse.len)
		return r;
	r = list_left_out(&before, landing->space, buf_str(&e->from), why);
	if (!r)
		r = list_left_out(&after, landing->space, buf_str(&e->to), why);
	if (r < 0)
		return r;
	check_changes(reason, e, &before, &after);
	return check_marks(reason, landing, &before, why);
}
