/* SPDX-License-Identifier: ISC */
/* The way back of what was carried: what differs from the note. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/span.h"
#include "base/why.h"
#include "cow/descend.h"
#include "cow/node.h"
#include "workspace/binds.h"
#include "workspace/bindsway.h"

/* A line of the note. */
struct noted {
	const char *line, *path; /* into the note */
	bool is_dir, seen;
};

struct gathering {
	int upper_fd, root_fd, copy_fd;
	const struct binds_hidden *hidden;
	struct noted *noted; /* owned; sorted by path */
	size_t count;
	size_t differ;
	binds_tell *tell; /* instead of a layer, where there is one */
	void *context;    /* borrowed; of tell */
	struct why *why;  /* set before -ESTALE and -EPERM */
};

static int by_path(const void *a, const void *b)
{
	const struct noted *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static struct noted *find(const struct gathering *g, const char *path)
{
	const struct noted key = { .path = path };

	return g->count
		       ? bsearch(&key, g->noted, g->count, sizeof(key), by_path)
		       : NULL;
}

/* The path is behind the fourth blank. */
static int read_note(struct gathering *g, struct span note)
{
	const char *end = note.data + note.len;
	const char *line;

	if (note.len && end[-1])
		return -EBADMSG;
	for (line = note.data; line < end; line += strlen(line) + 1) {
		struct noted *new;
		const char *rest = line;
		int blanks;

		g->noted = alloc_array(g->noted, g->count, sizeof(*g->noted));
		new = &g->noted[g->count++];
		*new = (struct noted){ .line = line };
		new->is_dir = *line == 'd';
		for (blanks = 0; rest && blanks < 4; blanks++)
			rest = strchr(rest + (blanks > 0), ' ');
		new->path = rest;
		if (!new->path || !*++new->path)
			return -EBADMSG;
	}
	if (g->count)
		qsort(g->noted, g->count, sizeof(*g->noted), by_path);
	return 0;
}

/* Nothing at a hidden path comes back, for nobody was shown what is there. */
static int refuse_hidden(void *context, const struct descend *at,
			 const struct stat *st)
{
	struct gathering *g = context;

	(void)st;
	if (!g->hidden || !g->hidden->skips(g->hidden->context, at->path))
		return 0;
	return why_set(g->why, EPERM,
		       "what was copied is not carried back: '%s' is hidden, "
		       "and the session changes it",
		       at->path);
}

/* Also with a directory that is another, or is gone, a hidden file would go. */
static int check_hidden(struct gathering *g, const char *path)
{
	int r = descend(g->copy_fd, path, true, refuse_hidden, g);

	if (!r || r == -ENOENT || r == -ENOTDIR || r == -ELOOP)
		r = descend(g->root_fd, path, false, refuse_hidden, g);
	return r == -ENOENT || r == -ENOTDIR || r == -ELOOP ? 0 : r;
}

/* Puts what is at @path into the layer: the whole of it. */
static int take(struct gathering *g, const char *path)
{
	int r = check_hidden(g, path);

	if (!r)
		r = binds_above(g->upper_fd, g->root_fd, path);
	g->differ++;
	return r ? r : binds_copy_one(g->copy_fd, g->upper_fd, path, NULL);
}

/*
 * Whether what @path was, or the directory that it is new in, is no longer in
 * the project: a layer has no place for what was below it, which an old one
 * that is gone cannot tell of.
 */
static bool is_gone(const struct gathering *g, const char *path, bool noted)
{
	autofree char *old = alloc_copy(path, strlen(path));
	char *slash = strrchr(old, '/');
	const char *name;
	struct stat st;

	if (!noted && !slash)
		return false;
	if (!noted)
		*slash = '\0';
	autoclose int fd = node_parent(g->root_fd, old, &name);

	return fd < 0 || node_stat(fd, name, &st) <= 0 ||
	       (!noted && !S_ISDIR(st.st_mode));
}

/* Of a directory that stays only what is below counts. */
static int hold_against(void *context, const struct descend *at,
			const struct stat *st)
{
	struct gathering *g = context;
	struct noted *noted = find(g, at->path);
	autobuf struct buf line = { 0 };
	int r = refuse_hidden(g, at, st);

	if (r < 0)
		return r;
	if (noted && S_ISDIR(st->st_mode) && noted->is_dir) {
		noted->seen = true;
		return 0;
	}
	(void)binds_add_note(&line, at, st);
	if (noted)
		noted->seen = true;
	if (noted && !strcmp(noted->line, buf_str(&line)))
		return 1;
	if (g->tell && S_ISDIR(st->st_mode))
		return 0;
	if (g->tell)
		return g->tell(g->context, noted ? 'M' : 'A', at->path);
	if (is_gone(g, at->path, noted != NULL))
		return why_set(g->why, ESTALE,
			       "what was copied is changed underneath since "
			       "the session began: '%s'",
			       at->path);
	r = take(g, at->path);
	return r < 0 ? r : 1;
}

/* Whether a directory above is gone or no directory any more: it says so. */
static bool is_told_above(const struct gathering *g, const char *path)
{
	autofree char *above = alloc_copy(path, strlen(path));
	char *slash = strrchr(above, '/');
	const struct noted *noted;
	struct stat st;
	const char *name;

	if (!slash)
		return false;
	*slash = '\0';
	noted = find(g, above);
	if (!noted)
		return false;
	autoclose int fd = node_parent(g->copy_fd, above, &name);

	return !noted->seen || fd < 0 || node_stat(fd, name, &st) <= 0 ||
	       !S_ISDIR(st.st_mode);
}

/*
 * An overlay keeps a removal as a device of the numbers 0, 0, which anybody
 * may make since Linux 5.8, mknod(2).  What is removed from the project as well
 * needs none, and has no place for one.
 */
static int remove_noted(struct gathering *g, const struct noted *noted)
{
	const char *name;
	int r;

	if (g->tell)
		return g->tell(g->context, 'D', noted->path);
	if (is_gone(g, noted->path, true))
		return 0;
	r = check_hidden(g, noted->path);
	if (!r)
		r = binds_above(g->upper_fd, g->root_fd, noted->path);
	autoclose int fd = r ? r : node_parent(g->upper_fd, noted->path, &name);

	g->differ++;
	if (fd < 0)
		return fd;
	return mknodat(fd, name, S_IFCHR, 0) < 0 ? -errno : 0;
}

/* What was carried: the noted that are in no other noted. */
static int gather_all(struct gathering *g)
{
	size_t i;
	int r = 0;

	for (i = 0; i < g->count && !r; i++) {
		const char *path = g->noted[i].path;
		const char *slash = strrchr(path, '/');
		autofree char *above =
			slash ? alloc_copy(path, (size_t)(slash - path)) : NULL;

		if (above && find(g, above))
			continue;
		r = descend(g->copy_fd, path, true, hold_against, g);
		if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP)
			r = 0;
	}
	for (i = 0; i < g->count && !r; i++)
		if (!g->noted[i].seen && !is_told_above(g, g->noted[i].path))
			r = remove_noted(g, &g->noted[i]);
	return r;
}

int binds_gather(const struct binds_sides *sides, struct span note,
		 struct why *why)
{
	struct gathering g = { .upper_fd = sides->upper_fd,
			       .root_fd = sides->root_fd,
			       .copy_fd = sides->copy_fd,
			       .hidden = sides->hidden,
			       .why = why };
	int r = read_note(&g, note);

	if (!r)
		r = gather_all(&g);
	free(g.noted);
	if ((r == -ESTALE || r == -EPERM) && why->errnum == -r)
		return r;
	if (r < 0)
		return why_sys(why, -r, "cannot gather what was carried");
	return (int)g.differ;
}

int binds_differ(int copy_fd, struct span note, binds_tell *tell, void *context,
		 struct why *why)
{
	struct gathering g = { .upper_fd = -1,
			       .root_fd = -1,
			       .copy_fd = copy_fd,
			       .tell = tell,
			       .context = context,
			       .why = why };
	int r = read_note(&g, note);

	if (!r)
		r = gather_all(&g);
	free(g.noted);
	if (r < 0 && !why->errnum)
		(void)why_sys(why, -r, "cannot see what was carried");
	return r;
}
