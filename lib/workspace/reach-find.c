/* SPDX-License-Identifier: ISC */
/* Where the links of a project are. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/child.h"
#include "base/file.h"
#include "base/line.h"
#include "base/num.h"
#include "base/why.h"
#include "cow/survey.h"
#include "workspace/effect.h"
#include "workspace/git.h"
#include "workspace/indexfile.h"
#include "workspace/names.h"
#include "workspace/quote.h"
#include "workspace/reach.h"
#include "workspace/space.h"

/* ---- in a tree of git's -------------------------------------------------- */

/* Links that were listed, the one beside the other. */
struct listed {
	struct names paths;
	struct names ids;
	bool many;
};

static int unsound(struct why *why)
{
	return why_set(why, EBADMSG,
		       "the session's work is refused: its tree cannot be "
		       "listed");
}

/* "MODE TYPE ID", a tab, and the path, quoted where it must be. */
static int take_line(struct listed *listed, struct span line, struct why *why)
{
	autobuf struct buf path = { 0 };

	if (!span_starts(line, "120000 blob "))
		return 0;
	line = span_from(line, strlen("120000 blob "));
	if (listed->paths.count == REACH_LINKS_MAX) {
		listed->many = true;
		return 0;
	}
	names_add(&listed->ids, span_cut(&line, '\t'));
	if (quote_c_read(&path, line) < 0)
		return unsound(why);
	names_add(&listed->paths, buf_span(&path));
	return 0;
}

/* A tree may have more files than memory should: only its links are kept. */
static int take_lines(struct listed *listed, int fd, struct why *why)
{
	autolines struct lines lines = { .fd = fd };
	struct span line;
	int r;

	while ((r = lines_next(&lines, &line, why)) > 0) {
		r = take_line(listed, line, why);
		if (r < 0)
			return r;
	}
	return r < 0 ? unsound(why) : 0;
}

static int list(struct listed *listed, struct git git, const char *tree,
		struct why *why)
{
	const char *const args[] = { "-c", "core.quotePath=true", "ls-tree",
				     "-r", "--full-tree",         tree,
				     NULL };
	autoclose int from_fd = -1;
	autoclose int to_fd = -1;
	int pair[2];
	pid_t pid;
	int r, ended;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return why_sys(why, errno, "cannot make a pipe");
	from_fd = pair[0];
	to_fd = pair[1];
	git.out_fd = to_fd;
	r = git_start(&git, args, &pid, why);
	(void)close(take_fd(&to_fd));
	if (r < 0)
		return r;
	r = take_lines(listed, from_fd, why);
	(void)close(take_fd(&from_fd));
	ended = child_wait(pid, "git", why);
	if (r < 0)
		return r;
	return ended > 0 ? unsound(why) : ended;
}

/* Of those that are as long as a link can be; the others are none. */
static int keep_short(struct listed *listed, struct git *git, struct why *why)
{
	static const char *const args[] = { "cat-file",
					    "--batch-check=%(objectsize)",
					    NULL };
	autobuf struct buf ids = { 0 };
	autobuf struct buf out = { 0 };
	struct listed kept = { 0 };
	struct span lines;
	uint64_t size;
	size_t i;
	int r;

	names_join(&listed->ids, &ids, '\n');
	r = git_filter(git, args, buf_span(&ids), &out, why);
	if (r)
		return r > 0 ? unsound(why) : r;
	lines = buf_span(&out);
	for (i = 0; i < listed->ids.count; i++) {
		if (num_read(&size, span_cut(&lines, '\n'), PATH_MAX - 1) < 0)
			continue;
		names_add(&kept.ids, span_of(listed->ids.items[i]));
		names_add(&kept.paths, span_of(listed->paths.items[i]));
	}
	names_drop(&listed->ids);
	names_drop(&listed->paths);
	*listed = kept;
	return 0;
}

/* Objects come in the order of the ids. */
static int read_all(struct reach *reach, const struct listed *listed,
		    struct git *git, struct why *why)
{
	static const char *const args[] = { "cat-file", "--batch", NULL };
	autobuf struct buf ids = { 0 };
	autobuf struct buf out = { 0 };
	struct git_object object;
	struct span rest;
	size_t i;
	int r;

	names_join(&listed->ids, &ids, '\n');
	r = git_filter(git, args, buf_span(&ids), &out, why);
	if (r == -EFBIG) {
		reach->many = true;
		return 0;
	}
	if (r)
		return r > 0 ? unsound(why) : r;
	rest = buf_span(&out);
	for (i = 0; i < listed->ids.count; i++) {
		if (git_next_object(&object, &rest) < 0 ||
		    !span_is(object.id, listed->ids.items[i]) ||
		    !span_is(object.type, "blob") ||
		    object.content.len > PATH_MAX)
			return unsound(why);
		reach_add(reach, listed->paths.items[i], object.content);
	}
	return 0;
}

/* Reads those that were listed, which are given up, and settles. */
static int take_listed(struct reach *reach, struct listed *listed,
		       const struct space *space, struct why *why)
{
	struct git git = space_git(space);
	int r = 0;

	reach->many |= listed->many;
	if (listed->ids.count && !reach->many)
		r = keep_short(listed, &git, why);
	if (!r && listed->ids.count && !reach->many)
		r = read_all(reach, listed, &git, why);
	names_drop(&listed->paths);
	names_drop(&listed->ids);
	if (!r)
		reach_settle(reach, buf_str(&space->project));
	return r;
}

int reach_find_tree(struct reach *reach, const struct space *space,
		    const char *tree, struct why *why)
{
	struct listed listed = { .many = false };
	int r = list(&listed, space_git(space), tree, why);

	if (!r)
		return take_listed(reach, &listed, space, why);
	names_drop(&listed.paths);
	names_drop(&listed.ids);
	return r;
}

/* ---- in an index --------------------------------------------------------- */

static void add_listed(struct listed *listed, const char *path, struct span id)
{
	listed->many |= listed->paths.count == REACH_LINKS_MAX;
	if (listed->many)
		return;
	names_add(&listed->paths, span_of(path));
	names_add(&listed->ids, id);
}

static void list_kept(struct listed *listed, struct indexfile *file,
		      const struct names *changed)
{
	struct indexfile_entry entry;

	while (indexfile_next(file, &entry)) {
		autobuf struct buf id = { 0 };

		if (!indexfile_is_link(&entry) ||
		    names_has(changed, entry.path))
			continue;
		indexfile_digits(&id, entry.id);
		add_listed(listed, entry.path, buf_span(&id));
	}
}

int reach_find_landed(struct reach *reach, const struct space *space,
		      const struct effect *lands, struct why *why)
{
	autobuf struct buf bytes = { 0 };
	autonames struct names changed = { 0 };
	struct listed listed = { .many = false };
	struct indexfile file;
	size_t i;

	if (file_read_path(&bytes, AT_FDCWD, space->index, BUF_MAX, why) < 0 ||
	    indexfile_open(&file, buf_span(&bytes), space->sha256) != 1)
		return -ENOTSUP;
	for (i = 0; i < lands->change_count; i++)
		names_add(&changed, span_of(lands->changes[i].path));
	names_tidy(&changed);
	list_kept(&listed, &file, &changed);
	for (i = 0; i < lands->change_count; i++)
		if (lands->changes[i].mode == EFFECT_LINK)
			add_listed(&listed, lands->changes[i].path,
				   span_of(lands->changes[i].blob));
	return take_listed(reach, &listed, space, why);
}

/* ---- in a directory ------------------------------------------------------ */

static int take_name(void *context, const struct survey_name *name)
{
	struct reach *reach = context;
	char text[PATH_MAX];
	ssize_t len;

	if (!name->link)
		return 0;
	len = readlinkat(name->dir_fd, name->name, text, sizeof(text));
	/* One that is gone by now leads nowhere. */
	if (len < 0)
		return errno == ENOENT || errno == EINVAL ? 0 : -errno;
	reach_add(reach, name->path, (struct span){ text, (size_t)len });
	return 0;
}

int reach_find_dir(struct reach *reach, int dir_fd)
{
	int r = survey(dir_fd, take_name, reach);

	if (r != -E2BIG)
		return r;
	reach->many = true;
	return 0;
}
