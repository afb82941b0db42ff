/* SPDX-License-Identifier: ISC */
#include "sandbox/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fd.h"
#include "base/why.h"
#include "spec/standard.h"

/* A FIFO that has a name is on a file system, and Landlock holds it. */
static enum pipes_way way_of(int fd, struct stat *is)
{
	struct statfs system;
	int mode;

	if (fstat(fd, is) < 0 || !S_ISFIFO(is->st_mode) ||
	    fstatfs(fd, &system) < 0 || system.f_type != PIPEFS_MAGIC)
		return PIPES_NOT;
	mode = fcntl(fd, F_GETFL) & O_ACCMODE;
	if (mode == O_RDWR)
		return fd == STDIN_FILENO ? PIPES_IN : PIPES_OUT;
	return mode == O_RDONLY ? PIPES_IN : PIPES_OUT;
}

static bool is_one(const struct pipes_end *one, const struct pipes_end *other)
{
	return one->way == other->way && one->is.st_dev == other->is.st_dev &&
	       one->is.st_ino == other->is.st_ino;
}

static int open_end(struct pipes *pipes, int fd)
{
	struct pipes_end *ends = pipes->ends;
	int first = 0;
	int theirs_fd;

	while (first < fd && !is_one(&ends[first], &ends[fd]))
		first++;
	if (first < fd)
		theirs_fd = fcntl(ends[first].theirs_fd, F_DUPFD_CLOEXEC,
				  PIPES_STANDARD);
	else if (ends[fd].way == PIPES_IN)
		theirs_fd = feed_open(&pipes->feeds[fd], pipes->loop, fd);
	else
		theirs_fd = drain_open(&pipes->drains[fd], pipes->loop, fd);
	if (theirs_fd == -1 && first < fd)
		return -errno;
	ends[fd].theirs_fd = theirs_fd < 0 ? -1 : theirs_fd;
	return theirs_fd < 0 ? theirs_fd : 0;
}

static struct pipes *make(struct loop *loop)
{
	struct pipes *pipes = alloc_zero(1, sizeof(*pipes));
	int fd;

	pipes->loop = loop;
	pipes->of_sigpipe = signal(SIGPIPE, SIG_IGN);
	for (fd = 0; fd < PIPES_STANDARD; fd++) {
		pipes->ends[fd].theirs_fd = -1;
		pipes->feeds[fd] = FEED_CLOSED;
		pipes->drains[fd].inner_fd = -1;
	}
	return pipes;
}

int pipes_open(struct pipes **pipes, struct loop *loop, struct why *why)
{
	enum pipes_way way;
	struct stat is;
	int fd, r;

	for (fd = 0; fd < PIPES_STANDARD; fd++) {
		way = way_of(fd, &is);
		if (way == PIPES_NOT)
			continue;
		if (!*pipes)
			*pipes = make(loop);
		(*pipes)->ends[fd].way = way;
		(*pipes)->ends[fd].is = is;
		r = open_end(*pipes, fd);
		if (r < 0)
			return why_sys(why, -r, "cannot relay standard %s",
				       standard_name(fd));
	}
	return 0;
}

/* Without dup2(2): a run without pipes needs none, and chock doctor tries
 * none. */
static int replace(int fd, int theirs_fd)
{
	(void)close(fd);
	return fcntl(theirs_fd, F_DUPFD, fd);
}

int pipes_enter(struct pipes *pipes, struct why *why)
{
	int fd;

	for (fd = 0; fd < PIPES_STANDARD; fd++) {
		fd_drop(&pipes->feeds[fd].inner_fd);
		fd_drop(&pipes->drains[fd].inner_fd);
		if (pipes->ends[fd].theirs_fd >= 0 &&
		    replace(fd, pipes->ends[fd].theirs_fd) != fd)
			return why_sys(why, errno, "cannot replace standard %s",
				       standard_name(fd));
	}
	for (fd = 0; fd < PIPES_STANDARD; fd++)
		fd_drop(&pipes->ends[fd].theirs_fd);
	return 0;
}

void pipes_start(struct pipes *pipes)
{
	int fd;

	for (fd = 0; fd < PIPES_STANDARD; fd++) {
		fd_drop(&pipes->ends[fd].theirs_fd);
		if (pipes->feeds[fd].inner_fd >= 0)
			feed_start(&pipes->feeds[fd]);
		if (pipes->drains[fd].inner_fd >= 0)
			drain_start(&pipes->drains[fd]);
	}
}

static void on_over(void *arg)
{
	struct pipes *pipes = arg;

	if (!--pipes->left)
		pipes->over_fn(pipes->over_arg);
}

void pipes_finish(struct pipes *pipes, void (*fn)(void *arg), void *arg)
{
	int fd;

	pipes->left = PIPES_STANDARD;
	pipes->over_fn = fn;
	pipes->over_arg = arg;
	for (fd = 0; fd < PIPES_STANDARD; fd++) {
		feed_close(&pipes->feeds[fd]);
		drain_finish(&pipes->drains[fd], on_over, pipes);
	}
}

void pipes_free(struct pipes **slot)
{
	struct pipes *pipes = *slot;
	int fd;

	for (fd = 0; pipes && fd < PIPES_STANDARD; fd++) {
		fd_drop(&pipes->ends[fd].theirs_fd);
		feed_close(&pipes->feeds[fd]);
		drain_close(&pipes->drains[fd]);
	}
	if (pipes)
		(void)signal(SIGPIPE, pipes->of_sigpipe);
	free(pipes);
	*slot = NULL;
}
