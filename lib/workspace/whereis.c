/* SPDX-License-Identifier: ISC */
#include "workspace/whereis.h"

#include <string.h>

#include "base/auto.h"
#include "workspace/project.h"

/* What git is asked for, in this order; git-rev-parse(1). */
enum line {
	LINE_BARE,
	LINE_FORMAT,
	LINE_ROOT,
	LINE_GIT_DIR,
	LINE_COMMON_DIR,
	LINE_HEAD,
	LINE_TREE,
	LINE_BRANCH,
	LINES,
};

/* A detached HEAD is its own full name. */
static bool is_sound(const struct names *lines)
{
	const char *const *at = (const char *const *)lines->items;

	if (lines->count != LINES)
		return false;
	return !strcmp(at[LINE_BARE], "false") &&
	       (!strcmp(at[LINE_FORMAT], "sha1") ||
		!strcmp(at[LINE_FORMAT], "sha256")) &&
	       *at[LINE_ROOT] == '/' && *at[LINE_GIT_DIR] == '/' &&
	       *at[LINE_COMMON_DIR] == '/' &&
	       git_is_id(span_of(at[LINE_HEAD])) &&
	       git_is_id(span_of(at[LINE_TREE])) &&
	       (!strcmp(at[LINE_BRANCH], "HEAD") ||
		!strncmp(at[LINE_BRANCH], "refs/heads/", 11));
}

int whereis_find(struct project *p, const char *dir, struct why *why)
{
	static const char *const ask[] = { "rev-parse",
					   "--is-bare-repository",
					   "--show-object-format",
					   "--path-format=absolute",
					   "--show-toplevel",
					   "--absolute-git-dir",
					   "--git-common-dir",
					   "HEAD^{commit}",
					   "HEAD^{tree}",
					   "--symbolic-full-name",
					   "HEAD",
					   NULL };
	autobuf struct buf out = { 0 };
	autonames struct names lines = { 0 };
	struct git git = GIT_CALL(.dir = dir, .env = &p->settings.trust);
	int r = git_read(&git, ask, &out, why);

	if (r < 0)
		return r;
	names_split(&lines, buf_span(&out), '\n');
	if (r > 0 || !is_sound(&lines))
		return 0;
	buf_adds(&p->root, lines.items[LINE_ROOT]);
	buf_adds(&p->git_dir, lines.items[LINE_GIT_DIR]);
	buf_adds(&p->common_dir, lines.items[LINE_COMMON_DIR]);
	buf_adds(&p->head, lines.items[LINE_HEAD]);
	buf_adds(&p->tree, lines.items[LINE_TREE]);
	if (strcmp(lines.items[LINE_BRANCH], "HEAD") != 0)
		buf_adds(&p->branch, lines.items[LINE_BRANCH]);
	p->sha256 = !strcmp(lines.items[LINE_FORMAT], "sha256");
	return 1;
}
