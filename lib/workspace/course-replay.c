/* SPDX-License-Identifier: ISC */
/* A course that puts each commit of the work onto where the branch is. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/span.h"
#include "base/why.h"
#include "workspace/making.h"

static int one_id(struct making *m, const char *const *args, struct buf *id,
		  struct why *why)
{
	int r;

	buf_reset(id);
	r = git_one(&m->git, args, id, why);
	return r || git_is_id(buf_span(id)) ? r : 1;
}

static int tree_of(struct making *m, const char *commit, struct buf *tree,
		   struct why *why)
{
	autofree char *name = alloc_text("%s^{tree}", commit);
	const char *const args[] = { "rev-parse", "-q", "--verify", name,
				     NULL };

	return one_id(m, args, tree, why);
}

/* @commit as it would be on @parent: by whom and when it was written, and its
 * message, byte for byte; no signature, which would be one of other bytes. */
static int rewrite(struct making *m, const char *commit, const char *tree,
		   struct buf *parent, struct why *why)
{
	static const char *const who[] = { "var", "GIT_COMMITTER_IDENT", NULL };
	static const char *const put[] = { "hash-object", "-t",      "commit",
					   "-w",          "--stdin", NULL };
	const char *const read[] = { "cat-file", "commit", commit, NULL };
	autobuf struct buf old = { 0 };
	autobuf struct buf new = { 0 };
	autobuf struct buf ident = { 0 };
	struct span rest, line;
	int r = git_read(&m->git, read, &old, why);

	if (!r)
		r = git_one(&m->git, who, &ident, why);
	if (r)
		return r;
	rest = buf_span(&old);
	buf_addf(&new, "tree %s\nparent %s\n", tree, buf_str(parent));
	while ((line = span_cut(&rest, '\n')).len) {
		if (span_starts(line, "author ")) {
			buf_add(&new, line);
			buf_addf(&new, "\ncommitter %s\n", buf_str(&ident));
		} else if (span_starts(line, "encoding ")) {
			buf_add(&new, line);
			buf_addc(&new, '\n');
		}
	}
	buf_addc(&new, '\n');
	buf_add(&new, rest);
	buf_reset(parent);
	r = git_filter(&m->git, put, buf_span(&new), parent, why);
	if (!r && parent->len)
		parent->data[--parent->len] = '\0';
	return r || git_is_id(buf_span(parent)) ? r : 1;
}

/*
 * The change from @old to @commit, put onto @now.  merge-tree takes its base
 * from the history, so two commits are made that have the old tree behind them.
 */
static int replay_tree(struct making *m, const char *const trees[3],
		       struct buf *tree, struct why *why)
{
	const struct span message = span_of("chock\n");
	autobuf struct buf base = { 0 };
	autobuf struct buf ours = { 0 };
	autobuf struct buf theirs = { 0 };
	struct made made = { trees[0], { NULL, NULL }, message };
	int r = making_commit(m, &made, &base, why);

	made.parents[0] = buf_str(&base);
	made.tree = trees[1];
	if (!r)
		r = making_commit(m, &made, &ours, why);
	made.tree = trees[2];
	if (!r)
		r = making_commit(m, &made, &theirs, why);
	return r ? making_end(m, r, "make a commit")
		 : making_merge(m, buf_str(&ours), buf_str(&theirs), tree, why);
}

static int replay(struct making *m, const char *commit, struct why *why)
{
	struct buf *now = &m->course->commit;
	autofree char *parent = alloc_text("%s^", commit);
	autobuf struct buf old = { 0 };
	autobuf struct buf ours = { 0 };
	autobuf struct buf theirs = { 0 };
	autobuf struct buf tree = { 0 };
	int r = tree_of(m, parent, &old, why);

	if (!r)
		r = tree_of(m, buf_str(now), &ours, why);
	if (!r)
		r = tree_of(m, commit, &theirs, why);
	if (r)
		return making_end(m, r, "read a commit");
	const char *const trees[3] = { buf_str(&old), buf_str(&ours),
				       buf_str(&theirs) };

	r = replay_tree(m, trees, &tree, why);
	if (r < 0 || m->course->reason.len)
		return r;
	/* What the branch has already, and was no empty commit, is left out. */
	if (span_equal(buf_span(&tree), buf_span(&ours)) &&
	    !span_equal(buf_span(&old), buf_span(&theirs)))
		return 0;
	return making_end(m, rewrite(m, commit, buf_str(&tree), now, why),
			  "make a commit");
}

static int list_commits(struct making *m, struct names *commits,
			struct why *why)
{
	autofree char *range = alloc_text("%s..%s", buf_str(&m->effect->from),
					  buf_str(&m->effect->to));
	const char *const args[] = { "rev-list",  "--reverse", "--topo-order",
				     "--parents", range,       NULL };
	autobuf struct buf out = { 0 };
	int r = git_read(&m->git, args, &out, why);

	names_split(commits, buf_span(&out), '\n');
	return making_end(m, r, "list the commits");
}

int making_replay(struct making *m, struct why *why)
{
	struct buf *reason = &m->course->reason;
	autonames struct names commits = { 0 };
	size_t i;
	int r = list_commits(m, &commits, why);

	if (commits.count > COURSE_REPLAY_MAX)
		buf_addf(reason, "more than %d commits are not replayed",
			 COURSE_REPLAY_MAX);
	for (i = 0; i < commits.count && !reason->len; i++) {
		char *first = strchr(commits.items[i], ' ');

		if (!first || strchr(first + 1, ' '))
			buf_adds(reason,
				 "there is a merge among its commits, which is "
				 "not replayed");
		else
			*first = '\0';
	}
	buf_add(&m->course->commit, buf_span(&m->course->onto));
	for (i = 0; !r && !reason->len && i < commits.count; i++)
		r = replay(m, commits.items[i], why);
	if (reason->len)
		buf_reset(&m->course->commit);
	return r;
}
