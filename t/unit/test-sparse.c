/* SPDX-License-Identifier: ISC */
/* Work waits where a sparse checkout would get a file that it leaves out. */

#include <string.h>

#include "repository.h"
#include "tap.h"
#include "workspace/dirt.h"
#include "workspace/sparse.h"

/*
 *	p/    a, d/b, and e/c, which the patterns leave out
 */
static struct space space;
static struct project project;

/* A workspace of what p is now, that knows how it was made. */
static bool begin(void)
{
	struct why why = { 0 };

	return repository_space(&space, &project) &&
	       !sparse_keep(&space, &project, &why);
}

/* Whether a change of @path has this in its way; "": nothing. */
static bool is_met(const char *path, const char *met)
{
	struct effect_change change = { .status = 'M',
					.was = EFFECT_FILE,
					.mode = EFFECT_FILE,
					.path = path };
	struct effect effect = { .changes = &change, .change_count = 1 };
	const struct landing landing = { &space, &project, &effect };
	autodirt struct dirt dirt = { 0 };
	autobuf struct buf reason = { 0 };
	struct why why = { 0 };
	int r = dirt_find(&dirt, &space, &project, &why);

	buf_add(&effect.from, buf_span(&project.head));
	buf_add(&effect.to, buf_span(&project.head));
	if (!r)
		r = sparse_obstacle(&reason, &landing, &why);
	buf_drop(&effect.from);
	buf_drop(&effect.to);
	if (r || strcmp(buf_str(&reason), met) != 0)
		printf("# %d %s '%s'\n", r, why.text, buf_str(&reason));
	return !r && !strcmp(buf_str(&reason), met);
}

/* The project as it is by now, with the workspace as it began. */
static bool look_again(void)
{
	struct why why = { 0 };

	project_drop(&project);
	return !project_open(&project, "p", &why);
}

#define LEFT_OUT "'e/c' is not in the sparse checkout"
#define OTHER "the sparse checkout has other patterns by now"
#define NOT_THOSE                                               \
	"the files are not those of the sparse checkout; 'git " \
	"sparse-checkout reapply' makes them so"

static void a_whole_one_has_no_obstacle(void)
{
	ok(!mkdir("p/e", 0755) && repository_put("p/e/c", "c\n") &&
		   DO("p", "add", "-A") && DO("p", "commit", "-q", "-m", "c"),
	   "has three files");
	ok(begin() && is_met("e/c", "") && is_met("a", ""), "all may change");
}

static void what_is_left_out_waits(void)
{
	ok(DO("p", "sparse-checkout", "set", "--cone", "d") &&
		   access("p/e/c", F_OK) < 0 && begin() && project.sparse.len,
	   "is sparse");
	ok(is_met("d/b", "") && is_met("a", ""), "what it has may change");
	ok(is_met("e/c", LEFT_OUT), "what it has not waits");
}

static void other_patterns_wait(void)
{
	ok(DO("p", "sparse-checkout", "set", "--cone", "e") && look_again() &&
		   is_met("d/b", OTHER) && is_met("e/c", OTHER),
	   "others hold by now");
	ok(DO("p", "sparse-checkout", "disable") && look_again() &&
		   is_met("a", OTHER),
	   "none hold any more");
	ok(begin() && DO("p", "sparse-checkout", "set", "--cone", "d") &&
		   look_again() && is_met("a", OTHER),
	   "some hold that did not");
	ok(begin() &&
		   DO("p", "config", "--worktree", "core.sparseCheckoutCone",
		      "false") &&
		   look_again() && is_met("a", OTHER),
	   "the same lines mean others");
}

static void other_files_wait(void)
{
	ok(DO("p", "sparse-checkout", "set", "--cone", "d") && begin() &&
		   DO("p", "update-index", "--no-skip-worktree", "e/c") &&
		   DO("p", "checkout", "--ignore-skip-worktree-bits", "HEAD",
		      "e/c") &&
		   !access("p/e/c", F_OK),
	   "has a file that it is not to have");
	ok(is_met("d/b", NOT_THOSE), "work waits");
	ok(DO("p", "sparse-checkout", "reapply") && is_met("d/b", ""),
	   "until it is as it says");
}

int main(void)
{
	ok(repository_make(), "finds room");
	a_whole_one_has_no_obstacle();
	what_is_left_out_waits();
	other_patterns_wait();
	other_files_wait();
	space_drop(&space);
	project_drop(&project);
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
