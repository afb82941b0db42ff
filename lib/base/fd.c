/* SPDX-License-Identifier: ISC */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/auto.h"

int fd_inherit(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags < 0 || fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC) < 0)
		return -errno;
	return 0;
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
