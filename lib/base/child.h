/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_CHILD_H
#define CHOCK_BASE_CHILD_H

/*
 * child - another program, run and waited for
 *
 * Programs are started by posix_spawn(3), with an argument vector and never a
 * shell, and with no descriptor but 0, 1, 2 and one more that is named: nothing
 * else of ours, nor of whoever started us.  SIGPIPE has its default action.
 */

#include <errno.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/span.h"

struct why;

/* The number that a child has its extra descriptor under. */
#define CHILD_EXTRA_FD 3

struct child {
	const char *program;     /* a path; no name is looked up */
	const char *const *argv; /* NULL at the end */
	const char *const *env;  /* NULL at the end; NULL: our own */
	int in_fd;               /* borrowed; -1: /dev/null */
	int out_fd;              /* borrowed; -1: /dev/null */
	int err_fd;              /* borrowed; -1: /dev/null */
	const int *extra_fd;     /* borrowed; NULL: none */
};

/*
 * child_start - start @child and do not wait for it; child_wait() must follow
 *
 * Returns 0 with its process id in @pid, or -errno if it could not be started.
 */
int child_start(const struct child *child, pid_t *pid, struct why *why);

/*
 * child_wait - wait for the end of @pid; @program is for messages
 *
 * Returns as child_run() does.
 */
int child_wait(pid_t pid, const char *program, struct why *why);

/* child_bury - wait for the end of @pid, however it comes */
static inline void child_bury(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/*
 * child_run - run @child and wait for it
 *
 * Returns its exit status, 128 + N if signal N ended it, or -errno if it
 * could not be started.
 */
int child_run(const struct child *child, struct why *why);

/*
 * child_run_read - run @child with its standard output put into @out
 *
 * Its out_fd is not looked at.  Once it printed more than @max bytes nothing
 * more is read, and it meets a closed pipe (SIGPIPE, with its default action).
 *
 * Returns as child_run() does, -EFBIG if there were more than @max bytes.
 */
int child_run_read(const struct child *child, struct buf *out, size_t max,
		   struct why *why);

/*
 * child_run_filter - child_run_read(), with @in on its standard input
 *
 * Its in_fd is not looked at.  Input and output go at once, so that neither
 * side can wait for the other for ever.
 */
int child_run_filter(const struct child *child, struct span in, struct buf *out,
		     size_t max, struct why *why);

#endif /* CHOCK_BASE_CHILD_H */
