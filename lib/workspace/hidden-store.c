/* SPDX-License-Identifier: ISC */
/* Whether a project's history can be shown, and all objects of it. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/num.h"
#include "base/why.h"
#include "workspace/hidden.h"

/*
 * Of the branches and tags in @refs those that lead to a commit: a tag of a
 * tree or of a file leads to objects that have no path.
 */
static int keep_commits(struct buf *refs, const struct space *s,
			struct why *why)
{
	static const char *const args[] = { "cat-file",
					    "--batch-check=%(objecttype)",
					    NULL };
	autobuf struct buf ask = { 0 };
	autobuf struct buf out = { 0 };
	autonames struct names lines = { 0 };
	autonames struct names types = { 0 };
	struct git git = space_git(s);
	size_t i;
	int r;

	names_split(&lines, buf_span(refs), '\n');
	for (i = 0; i < lines.count; i++)
		buf_addf(&ask, "%.*s^{commit}\n",
			 (int)strcspn(lines.items[i], " "), lines.items[i]);
	if (!lines.count)
		return 0;
	r = git_settle(&git, git_filter(&git, args, buf_span(&ask), &out, why),
		       "look at the project's branches", why);
	names_split(&types, buf_span(&out), '\n');
	if (!r && types.count != lines.count)
		r = why_set(why, EBADMSG,
			    "cannot look at the project's branches");
	buf_reset(refs);
	for (i = 0; !r && i < lines.count; i++)
		if (!strcmp(types.items[i], "commit"))
			buf_addf(refs, "%s\n", lines.items[i]);
	return r;
}

/* HEAD and all that @refs name, a line each. */
static void list_tips(struct buf *tips, const struct project *p,
		      const struct buf *refs)
{
	autonames struct names lines = { 0 };
	size_t i;

	buf_addf(tips, "%s\n", buf_str(&p->head));
	names_split(&lines, buf_span(refs), '\n');
	for (i = 0; i < lines.count; i++)
		buf_addf(tips, "%.*s\n", (int)strcspn(lines.items[i], " "),
			 lines.items[i]);
}

/* What git cannot list whole is not known. */
static int list(const struct space *s, const char *const *args,
		const struct buf *in, struct buf *out, struct why *why)
{
	struct git git = space_git(s);
	const int r = git_filter(&git, args, buf_span(in), out, why);

	return r < 0 ? r : !r && !out->full;
}

/* Whether the number that git prints is at most @most. */
static int is_small(const struct space *s, const char *const *args,
		    const struct buf *tips, uint64_t most, struct why *why)
{
	autobuf struct buf out = { 0 };
	uint64_t count;
	int r = list(s, args, tips, &out, why);

	while (out.len && out.data[out.len - 1] == '\n')
		out.data[--out.len] = '\0';
	if (r > 0)
		r = !num_read(&count, buf_span(&out), UINT64_MAX) &&
		    count <= most;
	return r;
}

static int is_short(const struct space *s, const struct buf *tips,
		    struct why *why)
{
	static const char *const commits[] = { "rev-list", "--count", "--stdin",
					       NULL };
	static const char *const bytes[] = { "rev-list", "--objects",
					     "--disk-usage", "--stdin", NULL };
	int r = is_small(s, commits, tips, HIDDEN_COMMITS_MAX, why);

	return r > 0 ? is_small(s, bytes, tips, HIDDEN_BYTES_MAX, why) : r;
}

/*
 * Whether no commit has a hidden path.  What a commit has and none of its
 * parents, diff-tree tells of, a merge's as well; what none tells of was never
 * there.
 */
static int has_no_path(const struct space *s, const struct buf *tips,
		       struct why *why)
{
	static const char *const commits[] = { "rev-list", "--stdin", NULL };
	static const char *const paths[] = { "diff-tree",    "--stdin",
					     "--root",       "-r",
					     "-c",           "-z",
					     "--name-only",  "--no-commit-id",
					     "--no-renames", NULL };
	autobuf struct buf ids = { 0 };
	autobuf struct buf out = { 0 };
	const char *path;
	int r = list(s, commits, tips, &ids, why);

	if (r > 0)
		r = list(s, paths, &ids, &out, why);
	if (r <= 0)
		return r;
	for (path = out.data; path && path < out.data + out.len;
	     path += strlen(path) + 1)
		if (hidden_is(s, path))
			return 0;
	return 1;
}

/* Whether @objects, a line each, has none of the bytes that are hidden. */
static bool has_no_bytes(const struct hidden *h, struct buf *objects)
{
	char *line = objects->data;
	char *end;

	for (; line && *line; line = end + 1) {
		bool hidden;

		end = strchr(line, '\n');
		if (!end)
			return false;
		*end = '\0';
		hidden = names_has(&h->blobs, line);
		*end = '\n';
		if (hidden)
			return false;
	}
	return true;
}

int hidden_history(struct hidden *hidden, const struct space *space,
		   const struct project *project, struct why *why)
{
	static const char *const all[] = { "rev-list", "--objects",
					   "--no-object-names", "--stdin",
					   NULL };
	autobuf struct buf tips = { 0 };
	struct buf objects = { 0 };
	int r = project_refs(project, &hidden->refs, why);

	if (!r)
		r = keep_commits(&hidden->refs, space, why);
	if (r < 0)
		return r;
	list_tips(&tips, project, &hidden->refs);
	r = is_short(space, &tips, why);
	if (r > 0)
		r = has_no_path(space, &tips, why);
	if (r > 0)
		r = list(space, all, &tips, &objects, why);
	if (r > 0 && has_no_bytes(hidden, &objects)) {
		buf_drop(&hidden->objects);
		hidden->objects = objects;
		hidden->cut = false;
		return 0;
	}
	buf_drop(&objects);
	return r < 0 ? r : 0;
}
