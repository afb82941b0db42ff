/* SPDX-License-Identifier: ISC */
#include "workspace/binds.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/why.h"
#include "cow/copy.h"
#include "cow/node.h"

int binds_find(int root_fd, const char *path, struct why *why)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
				      .resolve = RESOLVE_BENEATH |
						 RESOLVE_NO_SYMLINKS |
						 RESOLVE_NO_MAGICLINKS };
	autoclose int fd =
		(int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot use '%s'", path);
	if (S_ISLNK(st.st_mode))
		return why_sys(why, ELOOP, "cannot use '%s'", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return why_set(why, EINVAL,
			       "cannot use '%s': neither file nor directory",
			       path);
	return (int)st.st_mode;
}

/* ---- going through ------------------------------------------------------ */

/* A name on the way through a tree, in the directory dir_fd. */
struct going {
	int dir_fd;
	const char *name;
	const char *path;
	unsigned int depth;
	bool own; /* as for node_open() */
};

typedef int visit(void *context, const struct going *at, const struct stat *st);

static int go(const struct going *at, visit *tell, void *context);

static int go_below(const struct going *at, visit *tell, void *context)
{
	autonode struct node node = NODE_CLOSED;
	autoentries struct entries entries = { 0 };
	size_t i;
	int r = node_open(&node, at->dir_fd, at->name, at->own);

	if (!r && at->depth == node_depth_max())
		r = -ENAMETOOLONG;
	if (!r)
		r = entries_read(&entries, node.fd);
	for (i = 0; i < entries.count && !r; i++) {
		autofree char *path =
			alloc_text("%s/%s", at->path, entries.names[i]);
		const struct going below = { .dir_fd = node.fd,
					     .name = entries.names[i],
					     .path = path,
					     .depth = at->depth + 1,
					     .own = at->own };

		r = go(&below, tell, context);
	}
	return r;
}

/* Tells of @at, and of what is below unless told 1. */
static int go(const struct going *at, visit *tell, void *context)
{
	struct stat st;
	int r = node_stat(at->dir_fd, at->name, &st);

	if (r <= 0)
		return r;
	r = tell(context, at, &st);
	if (!r && S_ISDIR(st.st_mode))
		r = go_below(at, tell, context);
	return r > 0 ? 0 : r;
}

/* In the copy what a session made unreadable is read; the project is only
 * looked at. */
static int go_through(int root_fd, const char *path, bool own, visit *tell,
		      void *context)
{
	struct going at = { .path = path, .own = own };
	autoclose int fd = node_parent(root_fd, path, &at.name);

	at.dir_fd = fd;
	return fd < 0 ? fd : go(&at, tell, context);
}

/* ---- in ----------------------------------------------------------------- */

static int add_size(void *context, const struct going *at,
		    const struct stat *st)
{
	struct binds_size *size = context;

	(void)at;
	size->names++;
	if (S_ISREG(st->st_mode))
		size->bytes += (uint64_t)st->st_size;
	return size->names > BINDS_NAMES_MAX ? -E2BIG : 0;
}

int binds_measure(struct binds_size *size, int root_fd, const char *path,
		  struct why *why)
{
	int r = go_through(root_fd, path, false, add_size, size);

	if (r == -E2BIG)
		return why_set(why, E2BIG,
			       "cannot use '%s': it has more than %zu files",
			       path, BINDS_NAMES_MAX);
	return r < 0 ? why_sys(why, -r, "cannot look through '%s'", path) : 0;
}

/* Makes the directories above @path in @to_fd, with the modes that they have
 * in @like_fd. */
static int make_above(int to_fd, int like_fd, const char *path)
{
	autofree char *above = alloc_copy(path, strlen(path));
	char *slash = strchr(above, '/');
	int r = 0;

	for (; slash && !r; slash = strchr(slash + 1, '/')) {
		const char *name;
		struct stat st = { .st_mode = 0755 };

		*slash = '\0';
		autoclose int like = node_parent(like_fd, above, &name);
		autoclose int to = node_parent(to_fd, above, &name);

		if (like >= 0)
			(void)node_stat(like, name, &st);
		if (to < 0)
			r = to;
		else if (!mkdirat(to, name, 0700))
			r = node_chmod(to, name, st.st_mode & NODE_MODE);
		else if (errno != EEXIST)
			r = -errno;
		*slash = '/';
	}
	return r;
}

/* With @hidden it is out of the project, else out of the copy. */
static int copy(int from_fd, int to_fd, const char *path,
		const struct binds_hidden *hidden)
{
	const struct copy how = { .own = !hidden,
				  .path = path,
				  .skips = hidden ? hidden->skips : NULL,
				  .context = hidden ? hidden->context : NULL };
	const char *name;
	autoclose int from = node_parent(from_fd, path, &name);
	autoclose int to = node_parent(to_fd, path, &name);
	struct stat st;
	int r = from < 0 ? from : to;

	if (r >= 0)
		r = node_stat(from, name, &st);
	if (r == 0)
		return -ENOENT;
	if (r > 0)
		r = copy_tree(&how, from, name, to, name);
	if (!r && S_ISDIR(st.st_mode))
		r = node_chmod(to, name, st.st_mode & NODE_MODE);
	return r;
}

int binds_copy(int root_fd, int copy_fd, const char *path,
	       const struct binds_hidden *hidden, struct why *why)
{
	int r = make_above(copy_fd, root_fd, path);

	if (!r)
		r = copy(root_fd, copy_fd, path, hidden);
	return r < 0 ? why_sys(why, -r, "cannot copy '%s'", path) : 0;
}

int binds_place(int root_fd, int copy_fd, const char *path, mode_t mode,
		struct why *why)
{
	const char *name;
	int r = make_above(copy_fd, root_fd, path);
	autoclose int fd = r ? r : node_parent(copy_fd, path, &name);

	if (fd < 0)
		return why_sys(why, -fd, "cannot make a place for '%s'", path);
	r = S_ISDIR(mode) ? mkdirat(fd, name, 0700)
			  : mknodat(fd, name, S_IFREG | 0600, 0);
	if (r < 0 && errno != EEXIST)
		return why_sys(why, errno, "cannot make a place for '%s'",
			       path);
	return 0;
}

/* ---- the note ----------------------------------------------------------- */

static int add_note(void *context, const struct going *at,
		    const struct stat *st)
{
	struct buf *note = context;

	buf_addf(note, "%c %o %" PRIu64 " %lld.%09ld %s",
		 S_ISDIR(st->st_mode) ? 'd' : '-', st->st_mode,
		 (uint64_t)st->st_ino, (long long)st->st_ctim.tv_sec,
		 st->st_ctim.tv_nsec, at->path);
	buf_addc(note, '\0');
	return note->len > BINDS_NOTE_MAX ? -E2BIG : 0;
}

int binds_note(struct buf *note, int copy_fd, const char *path, struct why *why)
{
	int r = go_through(copy_fd, path, true, add_note, note);

	return r < 0 ? why_sys(why, -r, "cannot note what is in '%s'", path)
		     : 0;
}

/* ---- out ---------------------------------------------------------------- */

/* A line of the note. */
struct noted {
	const char *line, *path; /* into the note */
	bool is_dir, seen;
};

struct gathering {
	int upper_fd, root_fd, copy_fd;
	struct noted *noted; /* owned; sorted by path */
	size_t count;
	size_t differ;
	struct why *why; /* set before -ESTALE */
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
			rest = strchr(rest + 1, ' ');
		new->path = rest;
		if (!new->path || !*++new->path)
			return -EBADMSG;
	}
	if (g->count)
		qsort(g->noted, g->count, sizeof(*g->noted), by_path);
	return 0;
}

/* Puts what is at @path into the layer: the whole of it. */
static int take(struct gathering *g, const char *path)
{
	int r = make_above(g->upper_fd, g->root_fd, path);

	g->differ++;
	return r ? r : copy(g->copy_fd, g->upper_fd, path, NULL);
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
static int hold_against(void *context, const struct going *at,
			const struct stat *st)
{
	struct gathering *g = context;
	struct noted *noted = find(g, at->path);
	autobuf struct buf line = { 0 };
	int r;

	if (noted && S_ISDIR(st->st_mode) && noted->is_dir) {
		noted->seen = true;
		return 0;
	}
	(void)add_note(&line, at, st);
	if (noted)
		noted->seen = true;
	if (noted && !strcmp(noted->line, buf_str(&line)))
		return 1;
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

/* An overlay keeps a removal as a device of the numbers 0, 0, which anybody
 * may make since Linux 5.8, mknod(2). */
static int remove_noted(struct gathering *g, const struct noted *noted)
{
	const char *name;
	int r = make_above(g->upper_fd, g->root_fd, noted->path);
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
		r = go_through(g->copy_fd, path, true, hold_against, g);
		if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP)
			r = 0;
	}
	for (i = 0; i < g->count && !r; i++)
		if (!g->noted[i].seen && !is_told_above(g, g->noted[i].path))
			r = remove_noted(g, &g->noted[i]);
	return r;
}

int binds_gather(int upper_fd, int copy_fd, int root_fd, struct span note,
		 struct why *why)
{
	struct gathering g = { .upper_fd = upper_fd,
			       .root_fd = root_fd,
			       .copy_fd = copy_fd,
			       .why = why };
	int r = read_note(&g, note);

	if (!r)
		r = gather_all(&g);
	free(g.noted);
	if (r == -ESTALE && why->errnum == ESTALE)
		return r;
	if (r < 0)
		return why_sys(why, -r, "cannot gather what was carried");
	return (int)g.differ;
}
