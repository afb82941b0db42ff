/* SPDX-License-Identifier: ISC */
#include "workspace/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/beneath.h"

/* The directory above @path in @copy, made where it is missing. */
static int make_above(const char *target, struct why *why)
{
	autofree char *above = alloc_copy(target, strlen(target));

	*strrchr(above, '/') = '\0';
	return file_mkdirs(above, 0777, why);
}

static int copy_file(const char *target, int from_fd, mode_t mode)
{
	autoclose int to_fd = open(target,
				   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				   (mode & 0777) | 0600);

	return to_fd < 0 ? -errno : file_copy(to_fd, from_fd);
}

static int copy_link(const char *target, int link_fd)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(link_fd, "", text, sizeof(text) - 1);

	if (len < 0)
		return -errno;
	text[len] = '\0';
	return symlink(text, target) < 0 ? -errno : 0;
}

/* Copies what the pinned @path_fd stands for. */
static int copy_pinned(const char *target, int root_fd, const char *path,
		       int path_fd, const struct stat *st)
{
	autoclose int from_fd = -1;
	struct stat again;

	if (S_ISLNK(st->st_mode))
		return copy_link(target, path_fd);
	from_fd = beneath_read(root_fd, path);
	if (from_fd < 0)
		return from_fd;
	if (fstat(from_fd, &again) < 0)
		return -errno;
	if (again.st_ino != st->st_ino || again.st_dev != st->st_dev)
		return -EAGAIN;
	return copy_file(target, from_fd, st->st_mode);
}

static int carry_one(const char *copy, int root_fd, const char *path,
		     size_t *skipped, struct why *why)
{
	autofree char *target = alloc_text("%s/%s", copy, path);
	autoclose int path_fd = beneath_open(root_fd, path);
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
	r = make_above(target, why);
	if (r < 0)
		return r;
	r = copy_pinned(target, root_fd, path, path_fd, &st);
	return r < 0 ? why_sys(why, -r, "cannot copy '%s'", path) : 0;
}

/* Takes the file @path out of @copy, and the directories that it leaves. */
static int clear_one(const char *copy, const char *path, struct why *why)
{
	autofree char *target = alloc_text("%s/%s", copy, path);
	const size_t top = strlen(copy);
	char *slash;

	if (unlink(target) < 0) {
		/* The directory of a submodule is not ours to fill. */
		if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR)
			return 0;
		return why_sys(why, errno, "cannot remove '%s'", target);
	}
	for (;;) {
		slash = strrchr(target, '/');
		if (!slash || slash <= target + top)
			return 0;
		*slash = '\0';
		if (rmdir(target) < 0)
			return 0;
	}
}

static int carry_all(const char *copy, int root_fd, const struct names *names,
		     size_t *skipped, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; !r && i < names->count; i++)
		r = carry_one(copy, root_fd, names->items[i], skipped, why);
	return r;
}

/*
 * All that changed goes first, so that a file can become a directory and a
 * directory a file.
 */
int carry_dirt(const char *copy, const char *root, const struct dirt *dirt,
	       size_t *skipped, struct why *why)
{
	autoclose int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i;
	int r = 0;

	if (root_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", root);
	for (i = 0; !r && i < dirt->changed.count; i++)
		r = clear_one(copy, dirt->changed.items[i], why);
	if (!r)
		r = carry_all(copy, root_fd, &dirt->changed, skipped, why);
	if (!r)
		r = carry_all(copy, root_fd, &dirt->untracked, skipped, why);
	return r;
}

/*
 * Where a file is in the place of a directory above @path, nothing is to be
 * seen of what was below.  A directory of the person's in that of @path, as of
 * a submodule, is one in the layer as well.
 */
static int hide_below(const char *layer, int root_fd, const char *path,
		      struct why *why)
{
	autofree char *target = alloc_text("%s/%s", layer, path);
	autoclose int fd = beneath_open(root_fd, path);
	struct why lost = { 0 };
	struct stat st = { .st_mode = 0 };
	int r = make_above(target, &lost);

	if (r == -ENOTDIR || (fd >= 0 && fstat(fd, &st) < 0) ||
	    S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		return 0;
	if (!r &&
	    (S_ISDIR(st.st_mode) ? mkdir(target, 0777)
				 : mknod(target, S_IFCHR, 0)) < 0 &&
	    errno != EEXIST)
		r = -errno;
	return r < 0 ? why_sys(why, -r, "cannot remove '%s'", target) : 0;
}

/* What is there goes first, and says which directories are none any more. */
int carry_dirt_over(const char *layer, const char *root,
		    const struct dirt *dirt, size_t *skipped, struct why *why)
{
	autoclose int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i;
	int r;

	if (root_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", root);
	r = carry_all(layer, root_fd, &dirt->changed, skipped, why);
	if (!r)
		r = carry_all(layer, root_fd, &dirt->untracked, skipped, why);
	for (i = 0; !r && i < dirt->changed.count; i++)
		r = hide_below(layer, root_fd, dirt->changed.items[i], why);
	return r;
}
