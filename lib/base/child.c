/* SPDX-License-Identifier: ISC */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/why.h"

#define COPY_ROOM ((size_t)64 << 10)

extern char **environ;

static int add_fd(posix_spawn_file_actions_t *actions, int fd, int as)
{
	if (fd < 0)
		return posix_spawn_file_actions_addopen(
			actions, as, "/dev/null",
			as == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
	return posix_spawn_file_actions_adddup2(actions, fd, as);
}

/*
 * Each descriptor is duplicated above 2 first, for a plain dup2() of one of
 * 0 to 2 onto another could overwrite one that is still needed.
 */
static int start(const struct child *child, pid_t *pid)
{
	const int fds[3] = { child->in_fd, child->out_fd, child->err_fd };
	posix_spawn_file_actions_t actions;
	int high[3] = { -1, -1, -1 };
	int r = 0;
	int i;

	if (posix_spawn_file_actions_init(&actions))
		return ENOMEM;
	for (i = 0; i < 3 && !r; i++) {
		if (fds[i] >= 0)
			high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
		r = fds[i] >= 0 && high[i] < 0 ? errno
					       : add_fd(&actions, high[i], i);
	}
	if (!r)
		r = posix_spawnp(
			pid, child->program, &actions, NULL,
			(char *const *)child->argv,
			child->env ? (char *const *)child->env : environ);
	for (i = 0; i < 3; i++)
		if (high[i] >= 0)
			(void)close(high[i]);
	(void)posix_spawn_file_actions_destroy(&actions);
	return r;
}

static int wait_for(pid_t pid, const char *program, struct why *why)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return why_sys(why, errno, "cannot wait for '%s'",
				       program);
	if (WIFSIGNALED(status))
		return EXIT_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status);
}

int child_run(const struct child *child, struct why *why)
{
	pid_t pid;
	int r = start(child, &pid);

	if (r)
		return why_sys(why, r, "cannot run '%s'", child->program);
	return wait_for(pid, child->program, why);
}

/* Reads once; returns 1, 0 at the end, -EFBIG if there is too much. */
static int take_some(int fd, struct buf *out, size_t max)
{
	char some[COPY_ROOM];
	ssize_t got = read(fd, some, sizeof(some));

	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -errno;
	if (!got)
		return 0;
	if ((size_t)got > max - out->len)
		return -EFBIG;
	buf_add(out, (struct span){ some, (size_t)got });
	return out->full ? -EFBIG : 1;
}

/* Writes once; returns 1, or 0 when nothing is left that anybody wants. */
static int give_some(int fd, struct span *in)
{
	ssize_t done = write(fd, in->data, in->len);

	if (done < 0)
		return errno == EINTR || errno == EAGAIN;
	*in = span_from(*in, (size_t)done);
	return in->len > 0;
}

/* A child that closes its input early is not an error of ours. */
static int pump(int *to_fd, int from_fd, struct span in, struct buf *out,
		size_t max)
{
	struct pollfd fds[2];
	int r = 1;

	if (!in.len && *to_fd >= 0)
		(void)close(take_fd(to_fd));
	while (r > 0) {
		fds[0] = (struct pollfd){ .fd = from_fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = *to_fd, .events = POLLOUT };
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[1].revents && !give_some(*to_fd, &in))
			(void)close(take_fd(to_fd));
		if (fds[0].revents)
			r = take_some(from_fd, out, max);
	}
	return r;
}

static int run_piped(struct child child, int in_end, int out_end, int *to_fd,
		     int *from_fd, pid_t *pid)
{
	int r;

	child.in_fd = in_end >= 0 ? in_end : child.in_fd;
	child.out_fd = out_end;
	r = start(&child, pid);
	if (r)
		return -r;
	if (*to_fd >= 0 && fcntl(*to_fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	if (fcntl(*from_fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

static int run_both(const struct child *child, const struct span *in,
		    struct buf *out, size_t max, struct why *why)
{
	autoclose int in_end = -1, to_fd = -1, from_fd = -1, out_end = -1;
	int pair[2];
	pid_t pid;
	int status, r;

	if (in) {
		if (pipe2(pair, O_CLOEXEC) < 0)
			return why_sys(why, errno, "cannot make a pipe");
		in_end = pair[0];
		to_fd = pair[1];
	}
	if (pipe2(pair, O_CLOEXEC) < 0)
		return why_sys(why, errno, "cannot make a pipe");
	from_fd = pair[0];
	out_end = pair[1];
	r = run_piped(*child, in_end, out_end, &to_fd, &from_fd, &pid);
	if (r < 0)
		return why_sys(why, -r, "cannot run '%s'", child->program);
	(void)close(take_fd(&out_end));
	if (in_end >= 0)
		(void)close(take_fd(&in_end));
	r = pump(&to_fd, from_fd, in ? *in : (struct span){ NULL, 0 }, out,
		 max);
	if (to_fd >= 0)
		(void)close(take_fd(&to_fd));
	(void)close(take_fd(&from_fd));
	status = wait_for(pid, child->program, why);
	if (r == -EFBIG)
		return why_set(why, EFBIG, "'%s' printed more than %zu bytes",
			       child->program, max);
	if (r < 0)
		return why_sys(why, -r, "cannot read from '%s'",
			       child->program);
	return status;
}

int child_run_read(const struct child *child, struct buf *out, size_t max,
		   struct why *why)
{
	return run_both(child, NULL, out, max, why);
}

int child_run_filter(const struct child *child, struct span in,
		     struct buf *out, size_t max, struct why *why)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;
	int r;

	(void)sigaction(SIGPIPE, &ignore, &before);
	r = run_both(child, &in, out, max, why);
	(void)sigaction(SIGPIPE, &before, NULL);
	return r;
}
