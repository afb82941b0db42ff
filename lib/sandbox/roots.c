/* SPDX-License-Identifier: ISC */
#include "sandbox/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"

int roots_add(struct roots *roots, int fd)
{
	struct roots_row row = { .fd = fcntl(fd, F_DUPFD_CLOEXEC,
					     STDERR_FILENO + 1) };
	struct stat st;

	if (row.fd < 0 || fstat(row.fd, &st) < 0)
		return -errno;
	row.dev = st.st_dev;
	row.ino = st.st_ino;
	roots->rows =
		alloc_array(roots->rows, roots->count, sizeof(*roots->rows));
	roots->rows[roots->count++] = row;
	return 0;
}

static bool is_root(const struct roots *roots, const struct stat *st)
{
	size_t i;

	for (i = 0; i < roots->count; i++)
		if (roots->rows[i].dev == st->st_dev &&
		    roots->rows[i].ino == st->st_ino)
			return true;
	return false;
}

/* By the directories themselves, whatever their names are meanwhile. */
static bool is_below(const struct roots *roots, int owned_fd,
		     unsigned int levels)
{
	autoclose int fd = owned_fd;
	struct stat st;
	int above_fd;

	for (; levels; levels--) {
		if (fstat(fd, &st) < 0)
			return false;
		if (is_root(roots, &st))
			return true;
		above_fd = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (above_fd < 0)
			return false;
		(void)close(fd);
		fd = above_fd;
	}
	return false;
}

/* Whether @name in the directory @dir_fd is what @st is of. */
static bool is_at(int dir_fd, const char *name, const struct stat *st)
{
	struct stat there;

	return !fstatat(dir_fd, name, &there, AT_SYMLINK_NOFOLLOW) &&
	       there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

static unsigned int count_levels(const char *path)
{
	unsigned int levels = 1;

	for (; *path; path++)
		levels += *path == '/';
	return levels;
}

/*
 * The kernel calls a thing by where it is, or was before it was removed; what
 * never had a place, such as a pipe, does not begin with a slash.  By the time
 * at which we look, that name may be another thing's: so what is there is
 * compared, unless it was removed and nothing can be there.
 */
bool roots_have(const struct roots *roots, int fd)
{
	static const struct open_how how = { .flags = O_PATH | O_DIRECTORY |
						      O_CLOEXEC,
					     .resolve = RESOLVE_NO_SYMLINKS };
	char link[32], path[PATH_MAX];
	autoclose int dir_fd = -1;
	struct stat st;
	char *name;
	ssize_t len;

	if (fstat(fd, &st) < 0)
		return false;
	if (is_root(roots, &st))
		return true;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 1 || len == sizeof(path) - 1 || *path != '/')
		return false;
	path[len] = '\0';
	name = strrchr(path, '/');
	*name++ = '\0';
	dir_fd = (int)syscall(SYS_openat2, AT_FDCWD, *path ? path : "/", &how,
			      sizeof(how));
	if (dir_fd < 0 || (st.st_nlink && !is_at(dir_fd, name, &st)))
		return false;
	return is_below(roots, take_fd(&dir_fd), count_levels(path));
}

void roots_drop(struct roots *roots)
{
	size_t i;

	for (i = 0; i < roots->count; i++)
		auto_close(&roots->rows[i].fd);
	free(roots->rows);
	*roots = (struct roots){ 0 };
}
