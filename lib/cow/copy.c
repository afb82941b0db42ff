/* SPDX-License-Identifier: ISC */
#include "cow/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/progress.h"
#include "cow/journal.h"
#include "cow/node.h"

static int set_times(int fd, const struct stat *st)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT },
					  st->st_mtim };

	return futimens(fd, times) < 0 ? -errno : 0;
}

static int copy_file(int from_fd, const struct stat *st, int to_fd,
		     const char *to_name)
{
	autoclose int fd = openat(
		to_fd, to_name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : file_copy(fd, from_fd);

	if (!r && fchmod(fd, st->st_mode & NODE_MODE) < 0)
		r = -errno;
	return r ? r : set_times(fd, st);
}

static int copy_link(int from_fd, const char *name, int to_fd,
		     const char *to_name, const struct stat *st)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT },
					  st->st_mtim };
	/* Not on the stack, of which each level of a tree has its part. */
	autofree char *text = alloc_zero(PATH_MAX, 1);
	ssize_t len = readlinkat(from_fd, name, text, PATH_MAX - 1);

	if (len < 0)
		return -errno;
	if (symlinkat(text, to_fd, to_name) < 0 ||
	    utimensat(to_fd, to_name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return 0;
}

struct level {
	const struct copy *copy;
	const char *path; /* of what is copied, for who is told */
	unsigned int depth;
};

static int copy_node(const struct level *level, int from_fd, const char *name,
		     int to_fd, const char *to_name);

static void leave_out(const struct level *level, const char *what)
{
	const struct copy *copy = level->copy;

	if (copy->left_out)
		copy->left_out(copy->context, level->path, what);
}

static int copy_children(const struct level *level, int from_fd, int to_fd)
{
	autoentries struct entries entries = { 0 };
	size_t i;
	int r = entries_read(&entries, from_fd);

	for (i = 0; i < entries.count && !r; i++) {
		autofree char *path =
			alloc_text("%s/%s", level->path, entries.names[i]);
		const struct level below = { level->copy, path,
					     level->depth + 1 };

		if (level->copy->skips &&
		    level->copy->skips(level->copy->context, path))
			continue;
		if (!strcmp(entries.names[i], COW_DIR))
			leave_out(&below, NODE_OWN);
		else if (strlen(path) >= PATH_MAX)
			leave_out(&below, NODE_TOO_LONG);
		else
			r = copy_node(&below, from_fd, entries.names[i], to_fd,
				      entries.names[i]);
	}
	return r;
}

static int copy_dir(const struct level *level, int from_fd,
		    const struct stat *st, int to_fd, const char *to_name)
{
	mode_t mode = st->st_mode & NODE_MODE;
	int r;

	if (mkdirat(to_fd, to_name, 0700) < 0)
		return -errno;
	autoclose int fd =
		openat(to_fd, to_name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	r = copy_children(level, from_fd, fd);
	if (!level->depth) /* rename(2) writes into a directory that moves */
		mode |= S_IRWXU;
	if (!r && fchmod(fd, mode) < 0)
		r = -errno;
	return r ? r : set_times(fd, st);
}

static int copy_node(const struct level *level, int from_fd, const char *name,
		     int to_fd, const char *to_name)
{
	const struct copy *copy = level->copy;
	struct stat st, opened;
	int r = node_stat(from_fd, name, &st);

	progress_step();
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	if (S_ISLNK(st.st_mode))
		return copy_link(from_fd, name, to_fd, to_name, &st);
	if (node_what(&st)) {
		if (!level->depth)
			return -EINVAL;
		if (!node_is_whiteout(&st))
			leave_out(level, node_what(&st));
		return 0;
	}
	if (S_ISDIR(st.st_mode) && level->depth >= node_depth_max()) {
		leave_out(level, NODE_TOO_DEEP);
		return level->depth ? 0 : -EMFILE;
	}
	autonode struct node node = NODE_CLOSED;

	r = node_open(&node, from_fd, name, copy->own);
	if (!r && fstat(node.fd, &opened) < 0)
		r = -errno;
	if (!r && (opened.st_mode ^ st.st_mode) & S_IFMT)
		r = -ESTALE;
	if (r < 0)
		return r;
	return S_ISDIR(st.st_mode)
		       ? copy_dir(level, node.fd, &st, to_fd, to_name)
		       : copy_file(node.fd, &st, to_fd, to_name);
}

int copy_tree(const struct copy *copy, int from_fd, const char *name, int to_fd,
	      const char *to_name)
{
	const struct level level = { copy, copy->path, 0 };

	return copy_node(&level, from_fd, name, to_fd, to_name);
}
