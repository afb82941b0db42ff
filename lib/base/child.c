/* SPDX-License-Identifier: ISC */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/fd.h"
#include "base/progress.h"
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
 * An ignored signal stays ignored across exec, and child_run_filter() ignores
 * SIGPIPE: the child must not inherit that, or it would not end when nobody
 * reads what it prints.
 */
static int spawn(const struct child *child, pid_t *pid,
		 const posix_spawn_file_actions_t *actions)
{
	posix_spawnattr_t attr;
	sigset_t defaults;
	int r;

	(void)sigemptyset(&defaults);
	(void)sigaddset(&defaults, SIGPIPE);
	r = posix_spawnattr_init(&attr);
	if (r)
		return r;
	r = posix_spawnattr_setsigdefault(&attr, &defaults);
	if (!r)
		r = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	if (!r)
		r = posix_spawn(pid, child->program, actions, &attr,
				(char *const *)child->argv,
				child->env ? (char *const *)child->env
					   : environ);
	(void)posix_spawnattr_destroy(&attr);
	return r;
}

/*
 * Each descriptor is duplicated above them all first, for a plain dup2() of
 * one onto another could overwrite one that is still needed.
 */
static int start(const struct child *child, pid_t *pid)
{
	const int fds[] = { child->in_fd, child->out_fd, child->err_fd,
			    child->extra_fd ? *child->extra_fd : -1 };
	const int count = child->extra_fd ? CHILD_EXTRA_FD + 1 : CHILD_EXTRA_FD;
	posix_spawn_file_actions_t actions;
	int high[] = { -1, -1, -1, -1 };
	int r = 0;
	int i;

	if (posix_spawn_file_actions_init(&actions))
		return ENOMEM;
	for (i = 0; i < count && !r; i++) {
		if (fds[i] >= 0)
			high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, count);
		r = fds[i] >= 0 && high[i] < 0 ? errno
					       : add_fd(&actions, high[i], i);
	}
	/* Also what our own caller left open, which is not close-on-exec. */
	if (!r)
		r = posix_spawn_file_actions_addclosefrom_np(&actions, count);
	if (!r)
		r = spawn(child, pid, &actions);
	for (i = 0; i < count; i++)
		fd_drop(&high[i]);
	(void)posix_spawn_file_actions_destroy(&actions);
	return r;
}

int child_wait(pid_t pid, const char *program, struct why *why)
{
	int status;

	progress_wait_pid(pid);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return why_sys(why, errno, "cannot wait for '%s'",
				       program);
	if (WIFSIGNALED(status))
		return EXIT_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status);
}

int child_start(const struct child *child, pid_t *pid, struct why *why)
{
	int r = start(child, pid);

	return r ? why_sys(why, r, "cannot run '%s'", child->program) : 0;
}

int child_run(const struct child *child, struct why *why)
{
	pid_t pid;
	int r = child_start(child, &pid, why);

	return r < 0 ? r : child_wait(pid, child->program, why);
}

struct pipes {
	int in_end;  /* owned; the child's, -1 without input */
	int to_fd;   /* owned; ours, -1 without input */
	int from_fd; /* owned; ours */
	int out_end; /* owned; the child's */
};

#define autopipes __attribute__((cleanup(close_pipes)))
#define PIPES_CLOSED ((struct pipes){ -1, -1, -1, -1 })

static void close_pipes(struct pipes *pipes)
{
	fd_drop(&pipes->in_end);
	fd_drop(&pipes->to_fd);
	fd_drop(&pipes->from_fd);
	fd_drop(&pipes->out_end);
}

/*
 * Reads once, and lowers @max by what was read; returns 1, 0 at the end,
 * -EFBIG if there is too much.
 */
static int take_some(int fd, struct buf *out, size_t *max)
{
	char some[COPY_ROOM];
	ssize_t got = read(fd, some, sizeof(some));

	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -errno;
	if (!got)
		return 0;
	if ((size_t)got > *max)
		return -EFBIG;
	*max -= (size_t)got;
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
static int pump(struct pipes *pipes, struct span in, struct buf *out,
		size_t max)
{
	struct pollfd fds[2];
	int r = 1;

	if (!in.len)
		fd_drop(&pipes->to_fd);
	while (r > 0) {
		fds[0] = (struct pollfd){ pipes->from_fd, POLLIN, 0 };
		fds[1] = (struct pollfd){ pipes->to_fd, POLLOUT, 0 };
		if (poll(fds, 2, progress_wait_ms()) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		progress_look();
		if (fds[1].revents && !give_some(pipes->to_fd, &in))
			fd_drop(&pipes->to_fd);
		if (fds[0].revents)
			r = take_some(pipes->from_fd, out, &max);
	}
	return r;
}

/* Our ends do not block, so that pump() can serve both. */
static int make_pipe(int *read_end, int *write_end, int *our_end)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	*read_end = pair[0];
	*write_end = pair[1];
	return fcntl(*our_end, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static int make_pipes(struct pipes *pipes, bool with_input)
{
	int r = 0;

	if (with_input)
		r = make_pipe(&pipes->in_end, &pipes->to_fd, &pipes->to_fd);
	if (!r)
		r = make_pipe(&pipes->from_fd, &pipes->out_end,
			      &pipes->from_fd);
	return r;
}

static int run_both(struct child child, const struct span *in, struct buf *out,
		    size_t max, struct why *why)
{
	autopipes struct pipes pipes = PIPES_CLOSED;
	pid_t pid;
	int status, r;

	r = make_pipes(&pipes, in != NULL);
	if (r < 0)
		return why_sys(why, -r, "cannot make a pipe");
	child.in_fd = in ? pipes.in_end : child.in_fd;
	child.out_fd = pipes.out_end;
	r = child_start(&child, &pid, why);
	if (r < 0)
		return r;
	fd_drop(&pipes.out_end);
	fd_drop(&pipes.in_end);
	r = pump(&pipes, in ? *in : span_of(NULL), out, max);
	close_pipes(&pipes);
	status = child_wait(pid, child.program, why);
	if (r == -EFBIG)
		return why_set(why, EFBIG, "'%s' printed more than %zu bytes",
			       child.program, max);
	if (r < 0)
		return why_sys(why, -r, "cannot read from '%s'", child.program);
	return status;
}

int child_run_read(const struct child *child, struct buf *out, size_t max,
		   struct why *why)
{
	return run_both(*child, NULL, out, max, why);
}

int child_run_filter(const struct child *child, struct span in, struct buf *out,
		     size_t max, struct why *why)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;
	int r;

	(void)sigaction(SIGPIPE, &ignore, &before);
	r = run_both(*child, &in, out, max, why);
	(void)sigaction(SIGPIPE, &before, NULL);
	return r;
}
