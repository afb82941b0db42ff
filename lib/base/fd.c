/* SPDX-License-Identifier: ISC */
#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/num.h"
#include "base/span.h"

#define HOLD_BACK 4U /* CLOSE_RANGE_CLOEXEC, linux/close_range.h */

int fd_inherit(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags < 0 || fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC) < 0)
		return -errno;
	return 0;
}

/* The descriptors of a directory's reader are among them, and stay ours. */
static int hold_listed(int first)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	uint64_t fd;
	int r = dir ? 0 : -errno;

	while (!r && (errno = 0, entry = readdir(dir)))
		if (!num_read(&fd, span_of(entry->d_name), INT_MAX) &&
		    (int)fd >= first && fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
			r = -errno;
	if (dir && !r)
		r = -errno;
	if (dir)
		(void)closedir(dir);
	return r;
}

int fd_hold_back(int first)
{
	if (!syscall(SYS_close_range, first, ~0U, HOLD_BACK))
		return 0;
	return errno == EINVAL || errno == ENOSYS ? hold_listed(first) : -errno;
}

void fd_drop(int *fd)
{
	int taken = take_fd(fd);

	auto_close(&taken);
}

int fd_fill_standard(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			break;
	if (fd > STDERR_FILENO)
		return 0;
	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO && !fd_inherit(fd));
	if (fd <= STDERR_FILENO)
		return -errno;
	return close(fd) < 0 ? -errno : 0;
}
