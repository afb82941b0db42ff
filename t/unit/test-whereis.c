/* SPDX-License-Identifier: ISC */
/* Where a project is comes from one call, or is not told at all. */

#include "repository.h"
#include "tap.h"
#include "workspace/whereis.h"

static int find(struct project *project, const char *dir)
{
	struct why why = { 0 };

	project_drop(project);
	if (settings_read(&project->settings, dir, &why) < 0)
		return -1;
	return whereis_find(project, dir, &why);
}

static bool ends_in(const struct buf *path, const char *end)
{
	const size_t len = strlen(end);

	return *buf_str(path) == '/' && path->len > len &&
	       !strcmp(buf_str(path) + path->len - len, end);
}

static bool is_empty(const struct project *p)
{
	return !p->root.len && !p->git_dir.len && !p->common_dir.len &&
	       !p->branch.len && !p->head.len;
}

static void a_project_is_found(struct project *p)
{
	ok(find(p, "p/d") == 1 && ends_in(&p->root, "/p"), "its root");
	ok(ends_in(&p->git_dir, "/p/.git") &&
		   span_equal(buf_span(&p->git_dir), buf_span(&p->common_dir)),
	   "its directories");
	ok(!strcmp(buf_str(&p->branch), "refs/heads/main") &&
		   git_is_id(buf_span(&p->head)) && p->head.len == 40 &&
		   !p->sha256,
	   "its branch, head and kind of ids");
	ok(DO("p", "checkout", "-q", "--detach") && find(p, "p") == 1 &&
		   !p->branch.len && p->head.len,
	   "a detached HEAD is no branch");
	ok(DO("p", "worktree", "add", "-q", "../linked", "main") &&
		   find(p, "linked") == 1 && ends_in(&p->root, "/linked") &&
		   ends_in(&p->git_dir, "/p/.git/worktrees/linked") &&
		   ends_in(&p->common_dir, "/p/.git"),
	   "a linked working tree has two");
}

static void another_is_not_told(struct project *p)
{
	ok(!mkdir("none", 0755) && !find(p, "none") && is_empty(p),
	   "what is in no repository");
	ok(DO("none", "init", "-q") && !find(p, "none") && is_empty(p),
	   "what has no commit yet");
	ok(DO(".", "init", "-q", "--bare", "bare") && !find(p, "bare") &&
		   is_empty(p),
	   "a bare repository");
	ok(!rename("p", "new\nline") && !find(p, "new\nline") && is_empty(p) &&
		   !rename("new\nline", "p") && find(p, "p") == 1,
	   "a path with a newline");
}

int main(void)
{
	autoproject struct project project = { 0 };

	ok(repository_make(), "finds room");
	a_project_is_found(&project);
	another_is_not_told(&project);
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
