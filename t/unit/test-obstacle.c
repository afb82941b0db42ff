/* SPDX-License-Identifier: ISC */
/* Whatever is in the way of a branch and its files is found, and named. */

#include <string.h>

#include "base/alloc.h"
#include "repository.h"
#include "tap.h"
#include "workspace/dirt.h"
#include "workspace/obstacle.h"

static struct space space;
static struct project project;
static struct effect effect;

static void set(struct buf *text, const char *to)
{
	buf_reset(text);
	buf_adds(text, to);
}

static bool begin(void)
{
	bool begun = repository_space(&space, &project);

	set(&effect.from, buf_str(&project.head));
	set(&effect.to, buf_str(&project.head));
	return begun;
}

static bool is_same(const struct buf *reason, int r, const struct why *why,
		    const char *met)
{
	bool same = !r && !strcmp(buf_str(reason), met);

	if (!same)
		printf("# %d %s '%s'\n", r, why->text, buf_str(reason));
	return same;
}

/* Whether @met is in the way; @look says whether files are looked at. */
static bool is_met_by(const char *met, bool look)
{
	const struct landing landing = { &space, &project, &effect };
	autodirt struct dirt dirt = { 0 };
	autobuf struct buf reason = { 0 };
	struct why why = { 0 };
	int r = obstacle_find(&reason, &landing, look ? &dirt : NULL, &why);

	return is_same(&reason, r, &why, met);
}

static bool is_met(const char *met)
{
	return is_met_by(met, true);
}

/* What would change, and what is in the way of that. */
static bool is_changed(const char *path, enum effect_mode was,
		       enum effect_mode mode, const char *met)
{
	struct effect_change change = {
		.status = 'M', .was = was, .mode = mode, .path = path
	};
	bool same;

	effect.changes = &change;
	effect.change_count = 1;
	effect.modules = effect_is_module(&change);
	same = is_met(met);
	effect.changes = NULL;
	effect.change_count = 0;
	effect.modules = 0;
	return same;
}

static bool is_new(const char *path, const char *met)
{
	return is_changed(path, EFFECT_NOTHING, EFFECT_FILE, met);
}

static bool of_branch(const char *was, const char *is, const char *head,
		      const char *now, const char *met)
{
	autospace struct space then = { 0 };
	autoproject struct project at = { 0 };
	autobuf struct buf reason = { 0 };
	struct why why = { 0 };

	set(&then.branch, was);
	set(&then.head, head);
	set(&at.branch, is);
	set(&at.head, now);
	obstacle_branch(&reason, &then, &at);
	return is_same(&reason, 0, &why, met);
}

static void a_branch_can_be_none(void)
{
	ok(of_branch("b", "b", "1", "2", ""), "the one that it began on");
	ok(of_branch("", "b", "1", "1", "no branch is checked out") &&
		   of_branch("b", "", "1", "1", "no branch is checked out"),
	   "none");
	ok(of_branch("b", "c", "1", "1",
		     "another branch is checked out by now"),
	   "another");
	ok(of_branch("b", "b", "", "1", "the branch had no commit yet") &&
		   of_branch("b", "b", "1", "",
			     "the branch has no commit any more"),
	   "one without a commit");
}

static void nothing_is_in_the_way(void)
{
	ok(begin() && is_met("") && is_met_by("", false), "of nothing");
	ok(is_changed("a", EFFECT_FILE, EFFECT_FILE, "") &&
		   is_new("d/new", "") && is_new("e/f/new", ""),
	   "of a change, or a new file where nothing is");
}

static void what_moved_is_in_the_way(void)
{
	set(&effect.from, "0123456789abcdef0123456789abcdef01234567");
	ok(is_met("the branch moved since the question"), "of the branch");
	set(&effect.from, buf_str(&project.head));
}

static void what_is_not_finished_is_in_the_way(void)
{
	static const struct {
		const char *name, *reason;
	} markers[] = {
		{ "MERGE_HEAD", "a merge is not finished" },
		{ "rebase-merge", "a rebase is not finished" },
		{ "rebase-apply", "a rebase or am is not finished" },
		{ "CHERRY_PICK_HEAD", "a cherry-pick is not finished" },
		{ "REVERT_HEAD", "a revert is not finished" },
		{ "sequencer", "a cherry-pick or revert is not finished" },
		{ "BISECT_LOG", "a bisect is not finished" },
	};
	size_t i;

	for (i = 0; i < sizeof(markers) / sizeof(*markers); i++) {
		autofree char *path = alloc_text("p/.git/%s", markers[i].name);

		ok(repository_put(path, "") &&
			   is_met_by(markers[i].reason, false) && !unlink(path),
		   markers[i].reason);
	}
	ok(is_met(""), "and nothing when it is");
}

static void another_tree_is_in_the_way(void)
{
	ok(DO("p", "worktree", "add", "-q", "--force", "../linked", "main") &&
		   is_met("the branch is checked out in another working tree "
			  "as well"),
	   "that has the branch");
	ok(DO("linked", "checkout", "-q", "--detach") && is_met(""),
	   "and not one that has none");
}

static void what_is_not_for_us_is_in_the_way(void)
{
	ok(is_changed("sub", EFFECT_MODULE, EFFECT_MODULE,
		      "the submodule 'sub' changes"),
	   "a submodule");
	set(&effect.filtered, "big");
	ok(is_met("'big' has a filter, and filters do not run here"),
	   "a filter");
	buf_reset(&effect.filtered);
	set(&effect.converted, "c");
	effect.conversion = "ident";
	ok(is_met("'c' has ident by its attributes, and would not be what was "
		  "shown"),
	   "a conversion");
	buf_reset(&effect.converted);
	set(&effect.driven, "d/b");
	ok(is_met(""), "no merge driver where nothing is merged");
	set(&space.head, "0123456789abcdef0123456789abcdef01234567");
	ok(is_met("'d/b' has a merge driver, and those do not run here"),
	   "one where something is");
	buf_reset(&effect.driven);
	set(&space.head, buf_str(&project.head));
	names_add(&space.own, span_of("own"));
	ok(is_new("own/x", "'own/x' is chock's own, and nothing lands there") &&
		   is_new("other/x", ""),
	   "what is chock's own");
	names_drop(&space.own);
}

static void a_persons_files_are_in_the_way(void)
{
	ok(repository_put("p/d/b", "mine\n") &&
		   is_met("1 uncommitted change in the way; commit or stash it first") &&
		   is_met_by("", false) && DO("p", "checkout", "-q", "d/b"),
	   "a change, where files are looked at");
	ok(repository_put("p/new", "mine\n") &&
		   is_new("new", "an untracked file is where 'new' would be") &&
		   is_new("new/x",
			  "an untracked file is where 'new/x' would be"),
	   "a file that is not tracked, also as a directory");
	ok(repository_put("p/.git/info/exclude", "new\nlink\n") && begin() &&
		   is_new("new", "an ignored file is where 'new' would be"),
	   "one that is ignored");
	ok(!mkdir("p/dir", 0755) && is_new("dir", "") &&
		   repository_put("p/dir/x", "") &&
		   is_new("dir", "an untracked file is where 'dir' would be"),
	   "a directory with something in it, and no empty one");
	ok(!symlink("d", "p/link") &&
		   is_new("link/x",
			  "an ignored file is where 'link/x' would be"),
	   "a link, which is no directory");
}

int main(void)
{
	ok(repository_make(), "finds room");
	a_branch_can_be_none();
	nothing_is_in_the_way();
	what_moved_is_in_the_way();
	what_is_not_finished_is_in_the_way();
	another_tree_is_in_the_way();
	what_is_not_for_us_is_in_the_way();
	a_persons_files_are_in_the_way();
	effect_drop(&effect);
	space_drop(&space);
	project_drop(&project);
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
