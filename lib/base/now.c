/* SPDX-License-Identifier: ISC */
#include "base/now.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

static ssize_t result(ssize_t done)
{
	return done < 0 ? -errno : done;
}

/* EPERM is what some filters answer for a call that they do not know. */
static bool is_missing(ssize_t r)
{
	return r == -EOPNOTSUPP || r == -ENOSYS || r == -EPERM;
}

static bool is_ready(int fd, short events)
{
	struct pollfd polled = { .fd = fd, .events = events };

	return poll(&polled, 1, 0) == 1;
}

ssize_t now_read(int fd, void *bytes, size_t len)
{
	struct iovec part = { bytes, len };
	ssize_t got = result(preadv2(fd, &part, 1, -1, RWF_NOWAIT));

	if (!is_missing(got))
		return got;
	return is_ready(fd, POLLIN) ? result(read(fd, bytes, len)) : -EAGAIN;
}

/* A pipe that is ready has room for that much, pipe(7). */
ssize_t now_write(int fd, const void *bytes, size_t len)
{
	struct iovec part = { (void *)bytes, len };
	ssize_t put = result(pwritev2(fd, &part, 1, -1, RWF_NOWAIT));

	if (!is_missing(put))
		return put;
	if (!is_ready(fd, POLLOUT))
		return -EAGAIN;
	return result(write(fd, bytes, len < PIPE_BUF ? len : PIPE_BUF));
}
