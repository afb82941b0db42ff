/* SPDX-License-Identifier: ISC */
#include "workspace/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "cow/node.h"

#define PIECE ((size_t)64 << 10) /* bytes that are compared at once */

/* Opens @path itself: a link, too, with O_PATH, and not where it leads. */
static int open_itself(int root_fd, const char *path, int flags)
{
	const char *name;
	autoclose int above_fd = node_above(root_fd, path, &name);
	int fd;

	if (above_fd < 0)
		return above_fd;
	fd = openat(above_fd, name, flags | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int beneath_stat(int root_fd, const char *path, struct stat *st)
{
	const char *name;
	autoclose int fd = node_above(root_fd, path, &name);

	if (fd < 0)
		return fd;
	return fstatat(fd, name, st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

int beneath_open(int root_fd, const char *path)
{
	return open_itself(root_fd, path, O_PATH);
}

/* O_NONBLOCK: a FIFO may have taken the place of a file. */
int beneath_read(int root_fd, const char *path)
{
	return open_itself(root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static bool is_name(const char *part)
{
	return *part && strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

/* What is there already may be a link: that is no directory. */
static int enter(int owned_fd, const char *name)
{
	autoclose int above_fd = owned_fd;
	int fd;

	if (!is_name(name))
		return -EINVAL;
	if (mkdirat(above_fd, name, 0777) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(above_fd, name,
		    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int beneath_make(int root_fd, const char *path, const char **name)
{
	autofree char *parts = alloc_copy(path, strlen(path));
	char *part = parts;
	char *slash;
	int fd;

	*name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	if (!is_name(*name))
		return -EINVAL;
	fd = openat(root_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (; fd >= 0 && (slash = strchr(part, '/')); part = slash + 1) {
		*slash = '\0';
		fd = enter(fd, part);
	}
	return fd;
}

int beneath_unlink(int root_fd, const char *path)
{
	const char *name;
	autoclose int fd = node_above(root_fd, path, &name);

	if (fd < 0)
		return fd;
	return unlinkat(fd, name, 0) < 0 ? -errno : 0;
}

/* Removes an empty directory unless it is older; 0, also if there is none. */
static int prune(int fd, const char *name, const struct timespec *since)
{
	struct statx st;

	if (statx(fd, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if ((st.stx_mask & STATX_BTIME) &&
	    (st.stx_btime.tv_sec < since->tv_sec ||
	     (st.stx_btime.tv_sec == since->tv_sec &&
	      (long)st.stx_btime.tv_nsec < since->tv_nsec)))
		return -EEXIST;
	return unlinkat(fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

void beneath_prune(int root_fd, const char *path, const struct timespec *since)
{
	autofree char *part = alloc_copy(path, strlen(path));
	char *slash;

	while ((slash = strrchr(part, '/'))) {
		const char *name;
		int fd, r;

		*slash = '\0';
		fd = node_above(root_fd, part, &name);
		r = fd < 0 ? fd : prune(fd, name, since);
		auto_close(&fd);
		if (r < 0 && r != -ENOENT)
			return;
	}
}

static enum beneath compare_links(int a_fd, int b_fd, const char *name)
{
	char a[PATH_MAX], b[PATH_MAX];
	const ssize_t a_len = readlinkat(a_fd, name, a, sizeof(a));
	const ssize_t b_len = readlinkat(b_fd, name, b, sizeof(b));

	return a_len > 0 && a_len == b_len && !memcmp(a, b, (size_t)a_len)
		       ? BENEATH_SAME
		       : BENEATH_OTHER;
}

static enum beneath compare_bytes(int a_fd, int b_fd)
{
	char a[PIECE], b[PIECE];
	ssize_t a_len, b_len;

	do {
		a_len = file_fill(a_fd, a, PIECE);
		b_len = file_fill(b_fd, b, PIECE);
		if (a_len < 0 || b_len < a_len ||
		    memcmp(a, b, (size_t)a_len) != 0)
			return BENEATH_OTHER;
	} while (a_len == (ssize_t)PIECE);
	return a_len == b_len ? BENEATH_SAME : BENEATH_PART;
}

static enum beneath compare_files(int a_fd, int b_fd, const char *name)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	autoclose int a = openat(a_fd, name, flags);
	autoclose int b = openat(b_fd, name, flags);

	return a < 0 || b < 0 ? BENEATH_OTHER : compare_bytes(a, b);
}

enum beneath beneath_compare(int root_fd, int other_fd, const char *path)
{
	const char *name;
	autoclose int a_fd = node_above(root_fd, path, &name);
	autoclose int b_fd = node_above(other_fd, path, &name);
	struct stat a, b;

	if (a_fd < 0 || b_fd < 0 ||
	    fstatat(a_fd, name, &a, AT_SYMLINK_NOFOLLOW) < 0 ||
	    fstatat(b_fd, name, &b, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (a.st_mode & S_IFMT) != (b.st_mode & S_IFMT))
		return BENEATH_OTHER;
	if (S_ISLNK(a.st_mode))
		return compare_links(a_fd, b_fd, name);
	if (!S_ISREG(a.st_mode) ||
	    (a.st_mode & S_IXUSR) != (b.st_mode & S_IXUSR))
		return BENEATH_OTHER;
	return compare_files(a_fd, b_fd, name);
}
