/* SPDX-License-Identifier: ISC */
#include "cow/layerdiff.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/progress.h"
#include "base/why.h"
#include "cow/before.h"
#include "cow/journal.h"
#include "cow/node.h"

/*
 * How an overlay keeps its state where it is mounted with "userxattr", see
 * Documentation/filesystems/overlayfs.rst: a directory whose lower one counts
 * for nothing is "y" in OPAQUE, and whatever was copied up has ORIGIN.  Within
 * a mounted overlay nobody can set an attribute of that prefix.
 */
#define XATTR_OPAQUE "user.overlay.opaque"
#define XATTR_ORIGIN "user.overlay.origin"

struct level {
	const struct layerdiff *diff;
	const char *path; /* of this directory; "" at the top */
	unsigned int depth;
	int upper_fd;
	int lower_fd; /* -1: there is none */
	struct why *why;
};

static bool is_opaque(int fd)
{
	char value;

	return fgetxattr(fd, XATTR_OPAQUE, &value, 1) == 1 && value == 'y';
}

/* A link cannot have one: xattr(7), user extended attributes. */
static bool has_origin(const struct layerdiff_change *change)
{
	autonode struct node node = NODE_CLOSED;

	if (S_ISLNK(change->new_st.st_mode) ||
	    node_open(&node, change->upper_fd, change->name, true) < 0)
		return false;
	return fgetxattr(node.fd, XATTR_ORIGIN, NULL, 0) >= 0;
}

static int fail(const struct level *level, const char *path, int errnum)
{
	return why_sys(level->why, errnum, "cannot look at '%s'", path);
}

static void leave_out(const struct level *level, const char *path,
		      const char *what)
{
	if (level->diff->left_out)
		level->diff->left_out(level->diff->context, path, what);
}

/* Whether names were made or removed below, in this directory, since then. */
static int is_touched(const struct level *level)
{
	const struct layerdiff *diff = level->diff;
	struct stat dir;

	if (fstat(level->lower_fd, &dir) < 0)
		return -errno;
	if (!level->depth && diff->lower_st)
		dir = *diff->lower_st;
	return node_changed_since(&dir, &diff->since);
}

/*
 * Whether what is new here took the place of what somebody removed or moved
 * away from outside.  What was copied up and is gone below is such a thing, or
 * else it was moved here inside, and what was put over another one tells
 * nothing: for both, what was there before does.
 */
static int was_removed(const struct level *level,
		       const struct layerdiff_change *change)
{
	struct before *before = level->diff->before;
	int r;

	if (change->has_old || !change->has_new)
		return 0;
	/* No directory that is below is moved: its parts are copied. */
	if ((level->lower_fd < 0 || S_ISDIR(change->new_st.st_mode)) &&
	    has_origin(change))
		return 1;
	if (level->lower_fd < 0)
		return 0;
	r = is_touched(level);
	if (r <= 0)
		return r;
	return before ? before_has(before, change->path) : has_origin(change);
}

/*
 * Of a directory whose mode differs nothing tells who changed it, once it was
 * changed from outside in any way: then neither mode wins.
 */
static int tell(const struct level *level, struct layerdiff_change *change)
{
	const struct layerdiff *diff = level->diff;
	int r;

	if (change->kind == LAYERDIFF_MODE)
		r = node_changed_since(&change->old_st, &diff->since);
	else if (change->has_old)
		r = node_changed(level->lower_fd, change->name, &diff->since);
	else
		r = was_removed(level, change);
	if (r < 0)
		return fail(level, change->path, -r);
	change->changed = r;
	return diff->change(diff->context, change, level->why);
}

static int tell_dir(const struct level *level);

/* A directory of both sides, and not made anew: what is in it counts. */
static int tell_merged(const struct level *level,
		       struct layerdiff_change *change, int upper_fd)
{
	struct level below = { .diff = level->diff,
			       .path = change->path,
			       .depth = level->depth + 1,
			       .upper_fd = upper_fd,
			       .why = level->why };
	autonode struct node lower = NODE_CLOSED;
	int r = node_open(&lower, level->lower_fd, change->name, false);

	if (r < 0)
		return fail(level, change->path, -r);
	below.lower_fd = lower.fd;
	change->kind = LAYERDIFF_MODE;
	if ((change->new_st.st_mode ^ change->old_st.st_mode) & NODE_MODE)
		r = tell(level, change);
	return r ? r : tell_dir(&below);
}

static int tell_subdir(const struct level *level,
		       struct layerdiff_change *change)
{
	bool over = change->has_old && S_ISDIR(change->old_st.st_mode);
	autonode struct node upper = NODE_CLOSED;
	int r = node_open(&upper, level->upper_fd, change->name, true);

	if (r < 0)
		return fail(level, change->path, -r);
	if (over && !is_opaque(upper.fd)) {
		if (level->depth < node_depth_max())
			return tell_merged(level, change, upper.fd);
		leave_out(level, change->path, NODE_TOO_DEEP);
		return 0;
	}
	node_close(&upper); /* who is told sees the mode that it has */
	return tell(level, change);
}

/* In the place of a file it is at least a removal. */
static int tell_special(const struct level *level,
			struct layerdiff_change *change)
{
	leave_out(level, change->path, node_what(&change->new_st));
	if (!change->has_old ||
	    !((change->new_st.st_mode ^ change->old_st.st_mode) & S_IFMT))
		return 0;
	change->has_new = false;
	return tell(level, change);
}

static int tell_file(const struct level *level, struct layerdiff_change *change)
{
	int r = change->has_old ? node_same(level->upper_fd, change->name,
					    level->lower_fd, change->name)
				: 0;

	if (r < 0)
		return fail(level, change->path, -r);
	return r ? 0 : tell(level, change);
}

static int tell_name(const struct level *level, const char *name)
{
	autofree char *path = alloc_text("%s%s%s", level->path,
					 *level->path ? "/" : "", name);
	struct layerdiff_change change = { .kind = LAYERDIFF_SWAP,
					   .path = path,
					   .name = name,
					   .upper_fd = level->upper_fd,
					   .lower_fd = level->lower_fd,
					   .has_new = true };
	int r = node_stat(level->upper_fd, name, &change.new_st);

	progress_step();
	if (r <= 0)
		return fail(level, path, r ? -r : ENOENT);
	if (strlen(path) >= PATH_MAX) {
		leave_out(level, path, NODE_TOO_LONG);
		return 0;
	}
	if (!strcmp(name, COW_DIR)) {
		leave_out(level, path, NODE_OWN);
		return 0;
	}
	r = level->lower_fd < 0
		    ? 0
		    : node_stat(level->lower_fd, name, &change.old_st);
	if (r < 0)
		return fail(level, path, -r);
	change.has_old = r;
	if (node_is_whiteout(&change.new_st)) {
		change.has_new = false;
		return change.has_old ? tell(level, &change) : 0;
	}
	if (node_what(&change.new_st))
		return tell_special(level, &change);
	return S_ISDIR(change.new_st.st_mode) ? tell_subdir(level, &change)
					      : tell_file(level, &change);
}

static int tell_dir(const struct level *level)
{
	autoentries struct entries entries = { 0 };
	size_t i;
	int r = entries_read(&entries, level->upper_fd);

	if (r < 0)
		return fail(level, level->path, -r);
	for (i = 0; i < entries.count && !r; i++)
		r = tell_name(level, entries.names[i]);
	return r;
}

int layerdiff_tell(const struct layerdiff *diff, struct why *why)
{
	const struct level top = { .diff = diff,
				   .path = "",
				   .upper_fd = diff->upper_fd,
				   .lower_fd = diff->lower_fd,
				   .why = why };

	return tell_dir(&top);
}
