/* SPDX-License-Identifier: ISC */
#include "sandbox/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/now.h"

/*
 * Bytes are read and written, not moved by splice(2): a moved write takes a
 * page of the caller's pipe however small it is, while one that is written is
 * put behind the last.  A caller that waits for our end before it reads relies
 * on what a pipe holds.
 */

static void on_inner(void *arg, short events);
static void on_outer(void *arg, short events);

static size_t pending(const struct drain *drain)
{
	int count = 0;

	return ioctl(drain->inner_fd, FIONREAD, &count) < 0 || count < 0
		       ? 0
		       : (size_t)count;
}

/* Its writers hear of the end by EPIPE. */
static void end(struct drain *drain)
{
	drain_close(drain);
	if (drain->ending)
		drain->over_fn(drain->over_arg);
}

/* Where there is nothing to write, of the caller's pipe only its end counts. */
static void wait_for_more(struct drain *drain)
{
	bool full = drain->len > 0;

	loop_watch(drain->loop, drain->outer_fd, full ? POLLOUT : POLLHUP,
		   on_outer, drain);
	loop_watch(drain->loop, drain->inner_fd, full ? 0 : POLLIN, on_inner,
		   drain);
}

/* False where there is nothing any more. */
static bool fill(struct drain *drain)
{
	size_t room = sizeof(drain->bytes);
	ssize_t got;

	if (drain->len)
		return true;
	if (drain->ending && drain->rest < room)
		room = drain->rest;
	got = read(drain->inner_fd, drain->bytes, room);
	if (got <= 0)
		return got < 0 && errno == EAGAIN && !drain->ending;
	drain->from = 0;
	drain->len = (size_t)got;
	drain->rest -= drain->ending ? drain->len : 0;
	return true;
}

/* False where nobody reads it any more. */
static bool flush(struct drain *drain)
{
	ssize_t put;

	if (!drain->len)
		return true;
	put = now_write(drain->outer_fd, drain->bytes + drain->from,
			drain->len);
	if (put < 0)
		return put == -EAGAIN;
	drain->from += (size_t)put;
	drain->len -= (size_t)put;
	return true;
}

static void pass_on(struct drain *drain)
{
	if (fill(drain) && flush(drain))
		wait_for_more(drain);
	else
		end(drain);
}

static void on_inner(void *arg, short events)
{
	(void)events;
	pass_on(arg);
}

static void on_outer(void *arg, short events)
{
	if (events & (POLLERR | POLLNVAL))
		end(arg);
	else
		pass_on(arg);
}

int drain_open(struct drain *drain, struct loop *loop, int outer_fd)
{
	autoclose int theirs_fd = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	drain->loop = loop;
	drain->outer_fd = outer_fd;
	drain->inner_fd = ends[0];
	theirs_fd = ends[1];
	/* Who reopens it gets as far as it goes, as with a file; and it is our
	 * end alone that does not wait: each has a description of its own. */
	if (fchmod(ends[0], S_IWUSR) < 0 ||
	    fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return take_fd(&theirs_fd);
}

void drain_start(struct drain *drain)
{
	wait_for_more(drain);
}

void drain_finish(struct drain *drain, void (*fn)(void *arg), void *arg)
{
	drain->ending = true;
	drain->over_fn = fn;
	drain->over_arg = arg;
	if (drain->inner_fd < 0) {
		fn(arg);
		return;
	}
	drain->rest = pending(drain);
	pass_on(drain);
}

void drain_close(struct drain *drain)
{
	if (drain->inner_fd < 0)
		return;
	loop_forget(drain->loop, drain->outer_fd);
	loop_forget(drain->loop, drain->inner_fd);
	fd_drop(&drain->inner_fd);
}
