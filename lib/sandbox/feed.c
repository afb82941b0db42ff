/* SPDX-License-Identifier: ISC */
#include "sandbox/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/now.h"

/*
 * Bytes are put into the second pipe by tee(2), which leaves them in the first,
 * always from its beginning on.  So more can be shown only when all that was is
 * read; then it is taken from the first pipe, by length alone.
 *
 * poll(2) knows no "empty" but "there is room", for a page, so the pipe is made
 * as small as what is in it.  A reader that takes all at once is seen to have
 * it emptied then, and is shown twice as much the next time; for one that takes
 * less the pipe is made smaller, down to one page, where the two are the same.
 * Sizes are powers of two: where none fits, we have to look again, and that
 * size is not tried any more.
 *
 * The command can make room in its pipe and, after a chmod(2), write into it,
 * by which it deceives only itself: less is then taken than it has read, and
 * never more than it was shown.
 */

#define TAKEN_AT_ONCE 16384 /* bytes */

static void on_inner(void *arg, short events);
static void on_outer(void *arg, short events);

static size_t bytes_in(int fd)
{
	int count = 0;

	return ioctl(fd, FIONREAD, &count) < 0 || count < 0 ? 0 : (size_t)count;
}

static bool resize(struct feed *feed, size_t pages)
{
	int size = (int)(pages * feed->page);

	if (fcntl(feed->inner_fd, F_SETPIPE_SZ, size) < 0)
		return false;
	feed->pages = pages;
	return true;
}

static void take(struct feed *feed, size_t left)
{
	char bytes[TAKEN_AT_ONCE];
	size_t len;
	ssize_t got;

	while (feed->shown > left) {
		len = feed->shown - left;
		if (len > sizeof(bytes))
			len = sizeof(bytes);
		got = now_read(feed->outer_fd, bytes, len);
		if (got <= 0)
			break;
		feed->shown -= (size_t)got;
	}
	/* Somebody else has read it. */
	if (feed->shown > left)
		feed->shown = left;
}

/* A page in a pipe may hold less than it could, so that many fill as many. */
static void fit(struct feed *feed)
{
	size_t there = bytes_in(feed->outer_fd) / feed->page;
	size_t pages = feed->wanted;

	while (pages > 1 && pages > there)
		pages /= 2;
	if (pages != feed->pages && !resize(feed, pages))
		feed->most = feed->wanted = 1;
}

/* How many bytes; 0: no more will come; or -errno. */
static ssize_t show(struct feed *feed)
{
	ssize_t shown;

	fit(feed);
	shown = tee(feed->outer_fd, feed->inner_fd, feed->pages * feed->page,
		    SPLICE_F_NONBLOCK);
	if (shown > 0)
		feed->shown = (size_t)shown;
	return shown < 0 ? -errno : shown;
}

static void look_at(struct feed *feed, short outer, short inner)
{
	loop_watch(feed->loop, feed->outer_fd, outer, on_outer, feed);
	loop_watch(feed->loop, feed->inner_fd, inner, on_inner, feed);
}

static void on_look(void *arg)
{
	on_inner(arg, POLLOUT);
}

static void go_on(struct feed *feed)
{
	size_t left = bytes_in(feed->inner_fd);
	ssize_t shown = -EAGAIN;

	take(feed, left);
	if (!left)
		shown = show(feed);
	if (left || shown > 0)
		look_at(feed, 0, POLLOUT);
	else if (shown == -EAGAIN)
		look_at(feed, POLLIN, 0);
	else
		feed_close(feed);
}

/* Whether the pipe can be made so small that there is no room in it. */
static bool tighten(struct feed *feed)
{
	struct pollfd inner = { .fd = feed->inner_fd, .events = POLLOUT };
	size_t pages = 1;

	while (pages < FEED_PAGES && !resize(feed, pages))
		pages *= 2;
	return poll(&inner, 1, 0) == 0;
}

static void on_inner(void *arg, short events)
{
	struct feed *feed = arg;

	if (events & (POLLERR | POLLNVAL)) {
		feed_close(feed);
		return;
	}
	if (!bytes_in(feed->inner_fd)) {
		feed->wanted = feed->pages < feed->most ? feed->pages * 2
							: feed->most;
		go_on(feed);
		return;
	}
	feed->wanted = feed->pages > 1 ? feed->pages / 2 : 1;
	if (tighten(feed)) {
		go_on(feed);
		return;
	}
	feed->most = feed->wanted;
	look_at(feed, 0, 0);
	loop_after(feed->loop, FEED_LOOK, on_look, feed);
}

static void on_outer(void *arg, short events)
{
	(void)events;
	go_on(arg);
}

int feed_open(struct feed *feed, struct loop *loop, int outer_fd)
{
	autoclose int theirs_fd = -1;
	ssize_t shown;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	theirs_fd = ends[0];
	*feed = (struct feed){ .loop = loop,
			       .outer_fd = outer_fd,
			       .inner_fd = ends[1],
			       .page = (size_t)sysconf(_SC_PAGESIZE),
			       .wanted = 1,
			       .most = FEED_PAGES };
	/* Who reopens it gets as far as it goes, as with a file. */
	if (fchmod(ends[1], S_IRUSR) < 0 || !resize(feed, 1))
		return -errno;
	shown = show(feed);
	return shown < 0 && shown != -EAGAIN ? (int)shown : take_fd(&theirs_fd);
}

void feed_start(struct feed *feed)
{
	go_on(feed);
}

void feed_close(struct feed *feed)
{
	if (feed->inner_fd < 0)
		return;
	take(feed, bytes_in(feed->inner_fd));
	loop_cancel(feed->loop, on_look, feed);
	loop_forget(feed->loop, feed->outer_fd);
	loop_forget(feed->loop, feed->inner_fd);
	fd_drop(&feed->inner_fd);
}
