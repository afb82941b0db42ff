/* SPDX-License-Identifier: ISC */
#include "policyfile/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"

int guard_check(int fd, const char *path, struct why *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	if (st.st_uid && st.st_uid != geteuid())
		return why_set(why, EACCES,
			       "'%s' belongs to user %u, who is neither you "
			       "nor root; chown mends it",
			       path, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return why_set(why, EACCES,
			       "'%s' can be written by others; 'chmod go-w %s' "
			       "mends it",
			       path, path);
	return 0;
}

int guard_read(struct buf *bytes, const char *path, size_t max, struct why *why)
{
	const char *slash = strrchr(path, '/');
	autofree char *dir = alloc_copy(path, (size_t)(slash - path));
	autoclose int dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	autoclose int fd = -1;
	struct stat st;

	if (dir_fd >= 0)
		fd = openat(dir_fd, slash + 1,
			    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return why_set(why, EINVAL, "'%s' is not a regular file", path);
	if (guard_check(fd, path, why) < 0 || guard_check(dir_fd, dir, why) < 0)
		return -why->errnum;
	if (file_read(bytes, fd, max, why) < 0)
		return why_within(why, "'%s'", path);
	return 0;
}
