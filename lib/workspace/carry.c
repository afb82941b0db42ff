/* SPDX-License-Identifier: ISC */
#include "workspace/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/beneath.h"

/* Where it is carried from, and where to; neither is left by a link or "..". */
struct way {
	int root_fd;
	int copy_fd;
};

#define autoway __attribute__((cleanup(way_close)))

static void way_close(struct way *way)
{
	fd_drop(&way->root_fd);
	fd_drop(&way->copy_fd);
}

static int way_open(struct way *way, const char *copy, const char *root,
		    struct why *why)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

	way->root_fd = open(root, flags);
	if (way->root_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", root);
	way->copy_fd = open(copy, flags);
	if (way->copy_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", copy);
	return 0;
}

static int copy_file(int to_fd, const char *name, int from_fd, mode_t mode)
{
	autoclose int new_fd = openat(to_fd, name,
				      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				      (mode & 0777) | 0600);

	return new_fd < 0 ? -errno : file_copy(new_fd, from_fd);
}

static int copy_link(int to_fd, const char *name, int link_fd)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(link_fd, "", text, sizeof(text) - 1);

	if (len < 0)
		return -errno;
	text[len] = '\0';
	return symlinkat(text, to_fd, name) < 0 ? -errno : 0;
}

/* Copies what the pinned @path_fd stands for. */
static int copy_pinned(const struct way *way, const char *path, int path_fd,
		       const struct stat *st)
{
	const char *name;
	autoclose int to_fd = beneath_make(way->copy_fd, path, &name);
	autoclose int from_fd = -1;
	struct stat again;

	if (to_fd < 0)
		return to_fd;
	if (S_ISLNK(st->st_mode))
		return copy_link(to_fd, name, path_fd);
	from_fd = beneath_read(way->root_fd, path);
	if (from_fd < 0)
		return from_fd;
	if (fstat(from_fd, &again) < 0)
		return -errno;
	if (again.st_ino != st->st_ino || again.st_dev != st->st_dev)
		return -EAGAIN;
	return copy_file(to_fd, name, from_fd, st->st_mode);
}

static int carry_one(const struct way *way, const char *path, size_t *skipped,
		     struct why *why)
{
	autoclose int path_fd = beneath_open(way->root_fd, path);
	struct stat st;
	int r;

	/* So git-status(1) calls a repository in which it does not look. */
	if (path[strlen(path) - 1] == '/') {
		++*skipped;
		return 0;
	}
	if (path_fd == -ENOENT || path_fd == -ENOTDIR || path_fd == -ELOOP)
		return 0;
	if (path_fd < 0)
		return why_sys(why, -path_fd, "cannot open '%s'", path);
	if (fstat(path_fd, &st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
		++*skipped;
		return 0;
	}
	r = copy_pinned(way, path, path_fd, &st);
	return r < 0 ? why_sys(why, -r, "cannot copy '%s'", path) : 0;
}

/* Takes the file @path out of the copy, and the directories that it leaves. */
static int clear_one(const struct way *way, const char *path, struct why *why)
{
	const struct timespec ever = { 0 };
	const int r = beneath_unlink(way->copy_fd, path);

	if (!r) {
		beneath_prune(way->copy_fd, path, &ever);
		return 0;
	}
	/* The directory of a submodule is not ours to fill. */
	if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP || r == -EISDIR)
		return 0;
	return why_sys(why, -r, "cannot remove '%s' from the copy", path);
}

static int carry_all(const struct way *way, const struct names *names,
		     size_t *skipped, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; !r && i < names->count; i++)
		r = carry_one(way, names->items[i], skipped, why);
	return r;
}

/*
 * All that changed goes first, so that a file can become a directory and a
 * directory a file.
 */
int carry_dirt(const char *copy, const char *root, const struct dirt *dirt,
	       size_t *skipped, struct why *why)
{
	autoway struct way way = { -1, -1 };
	size_t i;
	int r = way_open(&way, copy, root, why);

	for (i = 0; !r && i < dirt->changed.count; i++)
		r = clear_one(&way, dirt->changed.items[i], why);
	if (!r)
		r = carry_all(&way, &dirt->changed, skipped, why);
	if (!r)
		r = carry_all(&way, &dirt->untracked, skipped, why);
	return r;
}

/*
 * Where a file is in the place of a directory above @path, nothing is to be
 * seen of what was below.  A directory of the person's in that of @path, as of
 * a submodule, is one in the layer as well.
 */
static int hide_below(const struct way *way, const char *path, struct why *why)
{
	const char *name;
	autoclose int above_fd = beneath_make(way->copy_fd, path, &name);
	autoclose int fd = beneath_open(way->root_fd, path);
	struct stat st = { .st_mode = 0 };

	if (above_fd == -ENOTDIR || (fd >= 0 && fstat(fd, &st) < 0) ||
	    S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		return 0;
	if (above_fd < 0)
		return why_sys(why, -above_fd,
			       "cannot remove '%s' from the copy", path);
	if ((S_ISDIR(st.st_mode) ? mkdirat(above_fd, name, 0777)
				 : mknodat(above_fd, name, S_IFCHR, 0)) < 0 &&
	    errno != EEXIST)
		return why_sys(why, errno, "cannot remove '%s' from the copy",
			       path);
	return 0;
}

/* What is there goes first, and says which directories are none any more. */
int carry_dirt_over(const char *layer, const char *root,
		    const struct dirt *dirt, size_t *skipped, struct why *why)
{
	autoway struct way way = { -1, -1 };
	size_t i;
	int r = way_open(&way, layer, root, why);

	if (!r)
		r = carry_all(&way, &dirt->changed, skipped, why);
	if (!r)
		r = carry_all(&way, &dirt->untracked, skipped, why);
	for (i = 0; !r && i < dirt->changed.count; i++)
		r = hide_below(&way, dirt->changed.items[i], why);
	return r;
}
