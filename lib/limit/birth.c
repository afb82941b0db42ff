/* SPDX-License-Identifier: ISC */
#include "limit/birth.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_ROOM ((size_t)256 << 10)

/*
 * clone3(2) without a stack of its own: the child goes on with its copy of
 * ours, as after fork(2).  Linux 5.7 has the cgroup.
 */
static pid_t birth_in(uint32_t flags, int cgroup_fd, birth_fn *fn, void *arg)
{
	struct clone_args args = { .flags = flags | CLONE_INTO_CGROUP,
				   .exit_signal = SIGCHLD,
				   .cgroup = (unsigned int)cgroup_fd };
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(fn(arg));
	return (pid_t)pid;
}

/* clone(2) for all others, which no outer filter of system calls forbids. */
pid_t birth(uint32_t flags, int cgroup_fd, birth_fn *fn, void *arg)
{
	static char stack[STACK_ROOM] __attribute__((aligned(16)));
	pid_t pid;

	if (cgroup_fd >= 0)
		return birth_in(flags, cgroup_fd, fn, arg);
	pid = clone(fn, stack + sizeof(stack), (int)flags | SIGCHLD, arg);
	return pid < 0 ? -errno : pid;
}
