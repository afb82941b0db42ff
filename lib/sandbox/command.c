/* SPDX-License-Identifier: ISC */
#include "sandbox/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "sandbox/landlock.h"
#include "sandbox/outcome.h"
#include "sandbox/sandbox.h"
#include "sandbox/seccomp.h"

#define STACK_ROOM ((size_t)64 << 10)

/* Where this is not visible, nothing of the system is. */
#define PROGRAMS "/usr/bin"

struct start {
	const struct sandbox *sandbox;
	const struct landlock *landlock; /* closed: there is none */
	struct outcome *outcome;
};

/* What holds the command and not its parent; limits last but the filter. */
static int confine(const struct start *start)
{
	const struct sandbox *sandbox = start->sandbox;
	struct layer_row *rows = start->outcome->layers;
	struct why *why = &start->outcome->why;
	sigset_t none;

	(void)sigemptyset(&none);
	if (setsid() < 0 || sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return why_sys(why, errno, "cannot start a session");
	if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U,
		    CLOSE_RANGE_CLOEXEC) < 0)
		return why_sys(why, errno, "cannot close descriptors");
	if (start->landlock->fd >= 0 &&
	    landlock_enforce(start->landlock, why) < 0)
		return layer_failed(rows, LAYER_LANDLOCK, why);
	if (limits_set(&sandbox->limits, why) < 0)
		return layer_failed(rows, LAYER_RLIMITS, why);
	if (rows[LAYER_SECCOMP].state != LAYER_ON)
		return 0;
	if (seccomp_load(sandbox->jit ? SECCOMP_SANDBOX_JIT : SECCOMP_SANDBOX,
			 why) < 0)
		return layer_failed(rows, LAYER_SECCOMP, why);
	return 0;
}

static const char *search_path(const struct sandbox *sandbox)
{
	const char *const *env = sandbox->env;

	for (; *env; env++)
		if (!strncmp(*env, "PATH=", 5))
			return *env + 5;
	return "";
}

/*
 * Executes the first file of that name along PATH.  As in a shell, one that
 * is there and cannot be executed counts only if no other one can.
 */
static int search(const struct start *start, const char *name)
{
	const char *path = search_path(start->sandbox);
	char file[PATH_MAX];
	int errnum = ENOENT;
	size_t len;
	int written;

	for (;; path += len + 1) {
		len = strcspn(path, ":");
		written = snprintf(file, sizeof(file), "%.*s%s%s", (int)len,
				   path, len ? "/" : "", name);
		if (written > 0 && (size_t)written < sizeof(file)) {
			(void)execve(file, (char *const *)start->sandbox->argv,
				     (char *const *)start->sandbox->env);
			if (errno != ENOENT && errno != ENOTDIR)
				errnum = errno;
		}
		if (!path[len])
			return errnum;
	}
}

static void explain(const struct start *start, int errnum)
{
	const struct sandbox *sandbox = start->sandbox;
	const char *name = sandbox->argv[0];
	struct why *why = &start->outcome->why;

	start->outcome->exec_errno = errnum;
	if (errnum == ENOENT && strchr(name, '/') && !access(name, F_OK))
		(void)why_set(why, errnum,
			      "cannot run '%s': the loader or interpreter that "
			      "it names is not visible in the sandbox",
			      name);
	else if (errnum == ENOENT && access(PROGRAMS, F_OK) < 0)
		(void)why_set(why, errnum,
			      "cannot find '%s': the system's programs are not "
			      "granted; '--policy base' makes them readable",
			      name);
	else if (errnum == ENOENT)
		(void)why_set(why, errnum, "cannot find '%s' in the sandbox",
			      name);
	else
		(void)why_sys(why, errnum, "cannot run '%s'", name);
}

/* Runs in the memory of its parent, which waits: see clone(2), CLONE_VFORK. */
static int run(void *arg)
{
	const struct start *start = arg;
	const char *name = start->sandbox->argv[0];
	int errnum;

	if (confine(start) < 0)
		return 1;
	start->outcome->stage = OUTCOME_STARTED;
	if (strchr(name, '/')) {
		(void)execve(name, (char *const *)start->sandbox->argv,
			     (char *const *)start->sandbox->env);
		errnum = errno;
	} else {
		errnum = search(start, name);
	}
	start->outcome->stage = OUTCOME_READY;
	explain(start, errnum == ENOTDIR ? ENOENT : errnum);
	return 1;
}

pid_t command_start(const struct sandbox *sandbox,
		    const struct landlock *landlock, struct outcome *outcome)
{
	static char stack[STACK_ROOM] __attribute__((aligned(16)));
	struct start start = { sandbox, landlock, outcome };
	pid_t pid = clone(run, stack + sizeof(stack),
			  CLONE_VM | CLONE_VFORK | SIGCHLD, &start);

	if (pid < 0)
		return why_sys(&outcome->why, errno, "cannot start a process");
	if (outcome->stage == OUTCOME_STARTED)
		return pid;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return -outcome->why.errnum;
}
