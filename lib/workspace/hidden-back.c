/* SPDX-License-Identifier: ISC */
/* What is known of hidden files on the way back. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/bug.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/hidden.h"
#include "workspace/quote.h"

#define PATTERNS "hidden.patterns"
#define BLOBS "hidden.blobs"

int hidden_keep(const struct hidden *hidden, const struct space *space,
		struct why *why)
{
	autobuf struct buf bytes = { 0 };
	int r;

	names_join(space->hiding->patterns, &bytes, '\0');
	r = file_put(space->dir, PATTERNS, buf_span(&bytes), why);
	buf_reset(&bytes);
	names_join(&hidden->blobs, &bytes, '\n');
	return r < 0 ? r : file_put(space->dir, BLOBS, buf_span(&bytes), why);
}

static int read_list(struct names *names, const struct space *s,
		     const char *name, char separator, struct why *why)
{
	autofree char *path = alloc_text("%s/%s", s->dir, name);
	autobuf struct buf bytes = { 0 };
	int r = file_read_path(&bytes, AT_FDCWD, path, BUF_MAX, why);

	if (!r)
		names_split(names, buf_span(&bytes), separator);
	return r;
}

int hidden_patterns(struct names *patterns, const struct space *space,
		    struct why *why)
{
	return read_list(patterns, space, PATTERNS, '\0', why);
}

void hidden_leave(struct names *paths, const struct space *space)
{
	struct names kept = { 0 };
	size_t i;

	for (i = 0; i < paths->count; i++)
		if (!hidden_is(space, paths->items[i]))
			names_add(&kept, span_of(paths->items[i]));
	names_drop(paths);
	*paths = kept;
}

int hidden_leave_bytes(struct names *paths, struct names *left,
		       const struct hidden *hidden, const struct space *space,
		       struct why *why)
{
	autonames struct names files = { 0 };
	autonames struct names ids = { 0 };
	struct names kept = { 0 };
	size_t i;
	int r;

	for (i = 0; i < paths->count; i++) {
		autofree char *path = alloc_text(
			"%s/%s", buf_str(&space->project), paths->items[i]);
		struct stat st;

		if (!lstat(path, &st) && S_ISREG(st.st_mode))
			names_add(&files, span_of(paths->items[i]));
		else
			names_add(&kept, span_of(paths->items[i]));
	}
	r = hidden_ids(&ids, space, &files, why);
	for (i = 0; !r && i < files.count; i++)
		names_add(names_has(&hidden->blobs, ids.items[i]) ? left
								  : &kept,
			  span_of(files.items[i]));
	names_drop(paths);
	*paths = kept;
	return r;
}

/* One change, as "MODE MODE ID ID S" behind a colon. */
static void check_change(struct buf *reason, const struct space *s,
			 const struct names *blobs, char *fields,
			 const char *path)
{
	char *rest = fields;
	const char *id;
	size_t i;

	for (i = 0; i < 3; i++)
		(void)strsep(&rest, " ");
	id = strsep(&rest, " ");
	if (!hidden_is(s, path) && (!id || !names_has(blobs, id)))
		return;
	buf_addc(reason, '\'');
	quote_line(reason, span_of(path));
	buf_adds(reason, hidden_is(s, path)
				 ? "' is hidden, and the work changes it"
				 : "' would have the bytes of a hidden file");
}

/* Each commit counts, also what a later one takes back. */
static int list_changes(struct names *words, const struct space *s,
			const struct effect *e, struct why *why)
{
	autofree char *not_from = alloc_text("^%s", buf_str(&e->from));
	const char *const revs[] = { "rev-list", buf_str(&e->to),
				     e->from.len ? not_from : NULL, NULL };
	static const char *const each[] = {
		"diff-tree",   "--stdin",      "--root", "-r",
		"-m",          "-z",           "--raw",  "--no-commit-id",
		"--no-abbrev", "--no-renames", NULL
	};
	autobuf struct buf commits = { 0 };
	autobuf struct buf out = { 0 };
	struct git git = space_git(s);
	int r = git_read(&git, revs, &commits, why);

	if (!r)
		r = git_filter(&git, each, buf_span(&commits), &out, why);
	r = git_settle(&git, r, "look for what is hidden", why);
	if (!r)
		names_split(words, buf_span(&out), '\0');
	return r;
}

int hidden_obstacle(struct buf *reason, const struct space *space,
		    const struct effect *effect, struct why *why)
{
	autonames struct names blobs = { 0 };
	autonames struct names words = { 0 };
	size_t i;
	int r;

	if (!space->hidden)
		return 0;
	bug_if(!space->hiding);
	r = read_list(&blobs, space, BLOBS, '\n', why);
	if (!r)
		r = list_changes(&words, space, effect, why);
	names_tidy(&blobs);
	for (i = 0; !r && !reason->len && i + 1 < words.count; i += 2) {
		if (words.items[i][0] != ':')
			return why_set(why, EBADMSG,
				       "cannot look for what is hidden");
		check_change(reason, space, &blobs, words.items[i] + 1,
			     words.items[i + 1]);
	}
	return r;
}
