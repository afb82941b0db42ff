/* SPDX-License-Identifier: ISC */
#include "sandbox/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fd.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "confine/seccomp.h"
#include "sandbox/workdir.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"
#include "tty/pty.h"

#define STACK_ROOM ((size_t)64 << 10)

/* Where this is not visible, nothing of the system is. */
#define PROGRAMS "/usr/bin"

struct start {
	const struct sandbox *sandbox;
	const struct landlock *landlock; /* closed: there is none */
	const char *const *env;
	struct outcome *outcome;
	int listener_fd;
};

static int put_on_top(uint32_t filters, struct why *why)
{
	enum seccomp_filter filter;
	int r = 0;

	for (filter = 0; filter < SECCOMP_FILTERS && !r; filter++)
		if (filters & SECCOMP_BIT(filter))
			r = seccomp_load(filter, why);
	return r;
}

/*
 * Where nobody can listen, as on an old kernel, or below a filter that
 * somebody listens to already, the kernel kills and names nothing.
 */
static int filter_calls(struct start *start)
{
	struct outcome *outcome = start->outcome;
	const struct sandbox *sandbox = start->sandbox;
	bool in_host = sandbox->filters & SECCOMP_BIT(SECCOMP_IN_HOST);
	struct why why = { 0 };

	if (put_on_top(sandbox->filters, &outcome->why) < 0)
		return -outcome->why.errnum;
	start->listener_fd = seccomp_listen(
		in_host ? seccomp_for_clerk(sandbox->strict, sandbox->jit)
			: seccomp_for(sandbox->strict, sandbox->jit),
		&why);
	if (start->listener_fd >= 0)
		return 0;
	start->listener_fd = -1;
	(void)why_within(&why, "kills have no names");
	layer_set(outcome->layers, LAYER_SECCOMP, LAYER_ON, why.text);
	if (in_host && seccomp_load(SECCOMP_NO_METADATA, &outcome->why) < 0)
		return -outcome->why.errnum;
	return seccomp_load(seccomp_for(sandbox->strict, sandbox->jit),
			    &outcome->why);
}

/* With a terminal of its own, process 1 leads the session: see pty.c. */
static int start_session(enum sandbox_tty tty)
{
	return tty == TTY_CALLERS ? setsid() : pty_join(tty);
}

/* What holds the command and not its parent; limits last but the filter. */
static int confine(struct start *start)
{
	const struct sandbox *sandbox = start->sandbox;
	struct layer_row *rows = start->outcome->layers;
	struct limits limits =
		limitrow_rlimits(&sandbox->limits, &start->outcome->means);
	struct why *why = &start->outcome->why;
	sigset_t none;
	int r;

	(void)sigemptyset(&none);
	if (start_session(sandbox->tty) < 0 ||
	    sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return why_sys(why, errno, "cannot start a session");
	r = fd_hold_back(STDERR_FILENO + 1);
	if (r < 0)
		return why_sys(why, -r, "cannot close descriptors");
	if (start->landlock->fd >= 0 &&
	    landlock_enforce(start->landlock, why) < 0)
		return layer_failed(rows, LAYER_LANDLOCK, why);
	if (limits_set(&limits, why) < 0)
		return layer_failed(rows, LAYER_RLIMITS, why);
	if (rows[LAYER_SECCOMP].state != LAYER_ON)
		return 0;
	return filter_calls(start) < 0 ? layer_failed(rows, LAYER_SECCOMP, why)
				       : 0;
}

static const char *search_path(const char *const *env)
{
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
	const char *path = search_path(start->env);
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
				     (char *const *)start->env);
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
	struct start *start = arg;
	const char *name = start->sandbox->argv[0];
	int errnum;

	if (confine(start) < 0)
		return 1;
	start->outcome->stage = OUTCOME_STARTED;
	if (strchr(name, '/')) {
		(void)execve(name, (char *const *)start->sandbox->argv,
			     (char *const *)start->env);
		errnum = errno;
	} else {
		errnum = search(start, name);
	}
	start->outcome->stage = OUTCOME_READY;
	explain(start, errnum == ENOTDIR ? ENOENT : errnum);
	return 1;
}

pid_t command_start(const struct sandbox *sandbox,
		    const struct landlock *landlock, struct outcome *outcome,
		    int *listener_fd)
{
	static char stack[STACK_ROOM] __attribute__((aligned(16)));
	struct start start = { sandbox, landlock, workdir_env(sandbox, outcome),
			       outcome, -1 };
	pid_t pid;

	/* With CLONE_FILES the listener that it opens is ours as well. */
	pid = clone(run, stack + sizeof(stack),
		    CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &start);
	*listener_fd = start.listener_fd;
	outcome->kills_named = start.listener_fd >= 0;
	outcome->command = pid;
	if (pid < 0)
		return why_sys(&outcome->why, errno, "cannot start a process");
	if (outcome->stage == OUTCOME_STARTED)
		return pid;
	fd_drop(listener_fd);
	child_bury(pid);
	/* Killed, as by a filter of who called us, it says nothing. */
	if (!outcome->why.errnum)
		return why_set(&outcome->why, ECHILD,
			       "what was to become the command was killed "
			       "while it gave up its rights");
	return -outcome->why.errnum;
}
