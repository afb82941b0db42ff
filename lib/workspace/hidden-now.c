/* SPDX-License-Identifier: ISC */
/* What bytes hidden paths have now: in the index, and as files. */
#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "workspace/dirt.h"
#include "workspace/hidden.h"
#include "workspace/own.h"
#include "workspace/quote.h"

/* The ids of no bytes at all: there is nothing to hide in those. */
static const char *const none[] = {
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
};

void hidden_add_blob(struct hidden *hidden, const char *id, const char *path)
{
	autofree char *whose = alloc_text("%s %s", id, path);

	if (!strcmp(id, none[0]) || !strcmp(id, none[1]))
		return;
	names_add(&hidden->blobs, span_of(id));
	names_add(&hidden->whose, span_of(whose));
}

int hidden_ids(struct names *ids, const struct space *space,
	       const struct names *paths, struct why *why)
{
	static const char *const args[] = { "hash-object", "--no-filters",
					    "--stdin-paths", NULL };
	autobuf struct buf list = { 0 };
	autobuf struct buf out = { 0 };
	struct git git = space_git(space);
	size_t i;
	int r;

	if (!paths->count)
		return 0;
	for (i = 0; i < paths->count; i++) {
		quote_c(&list, span_of(paths->items[i]));
		buf_addc(&list, '\n');
	}
	r = git_filter(&git, args, buf_span(&list), &out, why);
	names_split(ids, buf_span(&out), '\n');
	if (!r && ids->count != paths->count)
		return why_set(why, EBADMSG, "cannot read what is hidden");
	return git_settle(&git, r, "read what is hidden", why);
}

/* "MODE ID STAGE", a tab, the path: git-ls-files(1). */
static int add_index(struct hidden *h, const struct space *s,
		     const struct project *p, struct why *why)
{
	static const char *const args[] = { "ls-files", "-s", "-z", NULL };
	autobuf struct buf out = { 0 };
	autonames struct names lines = { 0 };
	struct git git = space_git(s);
	size_t i;
	int r = dirt_copy_index(s, p, why);

	if (r < 0)
		return r;
	git.work_tree = buf_str(&p->root);
	git.index = s->index;
	r = git_settle(&git, git_read(&git, args, &out, why),
		       "list the project's files", why);
	names_split(&lines, buf_span(&out), '\0');
	for (i = 0; !r && i < lines.count; i++) {
		char *rest = lines.items[i];
		char *tab = strchr(rest, '\t');
		const char *id;

		if (!tab)
			return why_set(why, EBADMSG, "cannot read the index");
		*tab = '\0';
		(void)strsep(&rest, " ");
		id = strsep(&rest, " ");
		if (id && hidden_is(s, tab + 1))
			hidden_add_blob(h, id, tab + 1);
	}
	return r;
}

/* ---- files -------------------------------------------------------------- */

struct looking {
	struct hidden *hidden;
	const struct space *space;
	struct names found; /* the hidden files */
	uint64_t bytes;     /* of those */
};

/* Where files can be that a pattern matches. */
static void add_places(struct names *places, const struct space *s)
{
	const struct names *patterns = s->hiding->patterns;
	size_t i;

	for (i = 0; i < patterns->count; i++) {
		const char *pattern = patterns->items[i];
		size_t len = strcspn(pattern, "*");

		while (pattern[len] && len && pattern[len - 1] != '/')
			len--;
		while (len && pattern[len - 1] == '/')
			len--;
		autofree char *place =
			alloc_text("%s%s%.*s", buf_str(&s->project),
				   len ? "/" : "", (int)len, pattern);

		names_add(places, span_of(place));
	}
	names_tidy(places);
}

static void take_file(struct looking *l, const FTSENT *at, const char *path)
{
	struct hidden *h = l->hidden;

	if (!at->fts_statp->st_size || !hidden_is(l->space, path))
		return;
	l->bytes += (uint64_t)at->fts_statp->st_size;
	if (access(at->fts_accpath, R_OK) < 0 ||
	    l->found.count >= HIDDEN_FILES_MAX || l->bytes > HIDDEN_BYTES_MAX)
		h->unknown = true;
	else
		names_add(&l->found, span_of(path));
}

/* What no git keeps in its tree, and what is not the project's, is skipped. */
static void look_at(struct looking *l, FTS *fts, FTSENT *at)
{
	const char *path = at->fts_path + l->space->project.len;

	path += *path == '/';
	switch (at->fts_info) {
	case FTS_D:
		if (*path && (!strcmp(at->fts_name, ".git") ||
			      own_is(&l->space->own, path)))
			(void)fts_set(fts, at, FTS_SKIP);
		break;
	case FTS_F:
		take_file(l, at, path);
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (at->fts_errno != ENOENT && at->fts_errno != ENOTDIR)
			l->hidden->unknown = true;
		break;
	default:
		break;
	}
}

static int find_files(struct looking *l, struct why *why)
{
	autonames struct names places = { 0 };
	FTS *fts;
	FTSENT *at;
	int failed;

	add_places(&places, l->space);
	fts = fts_open((char *const *)(uintptr_t)names_argv(&places),
		       FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!fts)
		return why_sys(why, errno, "cannot look for what is hidden");
	for (errno = 0; !l->hidden->unknown && (at = fts_read(fts)); errno = 0)
		look_at(l, fts, at);
	failed = l->hidden->unknown ? 0 : errno;
	(void)fts_close(fts);
	return failed ? why_sys(why, failed, "cannot look for what is hidden")
		      : 0;
}

static bool has_one(const struct names *paths, const struct hiding *hiding,
		    size_t behind)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		if (hiding->hides(hiding, paths->items[i] + behind))
			return true;
	return false;
}

bool hidden_matches(const struct hidden *hidden, const struct space *space,
		    const char *pattern)
{
	autofree char *there =
		alloc_text("%s/%s", buf_str(&space->project), pattern);
	autofree char *own = alloc_copy(pattern, strlen(pattern));
	const struct names one = { &own, 1 };
	const struct hiding hiding = { space->hiding->hides, &one, NULL };
	struct stat st;

	/* Behind an id, of which all have one length, and a blank. */
	return !lstat(there, &st) || has_one(&hidden->paths, &hiding, 0) ||
	       has_one(&hidden->whose, &hiding, space->sha256 ? 65 : 41);
}

int hidden_now(struct hidden *hidden, const struct space *space,
	       const struct project *project, struct why *why)
{
	struct looking l = { .hidden = hidden, .space = space };
	autonames struct names ids = { 0 };
	size_t i;
	int r = add_index(hidden, space, project, why);

	if (!r)
		r = find_files(&l, why);
	if (!r)
		r = hidden_ids(&ids, space, &l.found, why);
	for (i = 0; !r && i < ids.count; i++)
		hidden_add_blob(hidden, ids.items[i], l.found.items[i]);
	names_drop(&l.found);
	return r;
}
