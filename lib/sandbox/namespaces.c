/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "sandbox/driver.h"
#include "sandbox/init.h"
#include "sandbox/outcome.h"
#include "sandbox/sandbox.h"
#include "sandbox/watch.h"

/*
 * The driver for kernels with user namespaces.  All namespaces are made by
 * one clone(2), which is as fast as the kernel can do it, and the process
 * that is born into them builds the rest (sandbox/init.h).  What it has to
 * say it says in a page that both share; when it has ended, so has everything
 * in the sandbox.
 */

#define STACK_ROOM ((size_t)256 << 10)

static const struct namespace
{
	uint32_t flag;
	enum layer layer;
}
namespaces[] = {
	{ CLONE_NEWUSER, LAYER_USERNS }, { CLONE_NEWPID, LAYER_PIDNS },
	{ CLONE_NEWIPC, LAYER_IPCNS },   { CLONE_NEWNS, LAYER_MOUNTNS },
	{ CLONE_NEWNET, LAYER_NETNS },
};

#define NAMESPACES (sizeof(namespaces) / sizeof(*namespaces))

static char stack[STACK_ROOM] __attribute__((aligned(16)));

/*
 * A socket of the host's network, or a directory, would be a way out of any
 * namespace for who holds it.
 */
static int check_standard(const struct sandbox *sandbox,
			  struct outcome *outcome)
{
	static const char *const names[] = { "input", "output", "error" };
	struct why *why = &outcome->why;
	struct stat st;
	int domain, fd;
	socklen_t len;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		len = sizeof(domain);
		if (fstat(fd, &st) < 0)
			return why_sys(why, errno, "cannot use standard %s",
				       names[fd]);
		if (S_ISDIR(st.st_mode))
			return why_set(why, EINVAL,
				       "standard %s is a directory, and would "
				       "lead out of the sandbox",
				       names[fd]);
		if (!S_ISSOCK(st.st_mode) || sandbox->net == NET_HOST)
			continue;
		if (!getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) &&
		    domain == AF_UNIX)
			continue;
		(void)why_set(why, EINVAL,
			      "standard %s is a network socket of the host; "
			      "put a pipe in between, as in 'cat | chock-spawn "
			      "... | cat'",
			      names[fd]);
		return layer_failed(outcome->layers, LAYER_NETNS, why);
	}
	return 0;
}

/*
 * Root's groups are not dropped by becoming root in a namespace.  Who is root
 * only in a user namespace in which setgroups(2) is denied is an ordinary
 * user, whose groups nobody can drop.
 */
static int drop_groups(struct outcome *outcome)
{
	struct why *why = &outcome->why;
	autoclose int fd = -1;
	char word[8] = "";
	int errnum;

	if (geteuid() != 0 || !setgroups(0, NULL) || getgroups(0, NULL) == 0)
		return 0;
	errnum = errno;
	fd = open("/proc/self/setgroups", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, word, sizeof(word) - 1) > 0 &&
	    !strncmp(word, "deny", 4))
		return 0;
	(void)why_sys(why, errnum, "cannot drop supplementary groups");
	return layer_failed(outcome->layers, LAYER_USERNS, why);
}

static int do_nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* Whether a process can be born with @flags; its errno is left. */
static bool can_clone(uint32_t flags)
{
	pid_t pid = clone(do_nothing, stack + sizeof(stack),
			  (int)flags | CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	if (pid < 0)
		return false;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return true;
}

/*
 * Takes from @flags what cannot be had and is waived.  One by one, and only
 * after all at once has failed with @errnum.
 */
static int find_missing(const struct sandbox *sandbox, struct outcome *outcome,
			uint32_t *flags, int errnum, struct why *why)
{
	uint32_t asked = *flags;
	size_t i;

	for (i = 0; i < NAMESPACES; i++) {
		if (!(asked & namespaces[i].flag) ||
		    can_clone(CLONE_NEWUSER | namespaces[i].flag))
			continue;
		(void)why_sys(why, errno, "cannot make the namespace");
		if (layer_lost(outcome->layers, namespaces[i].layer,
			       sandbox->waived, why) < 0)
			return -why->errnum;
		*flags &= ~namespaces[i].flag;
	}
	return *flags == asked
		       ? why_sys(why, errnum, "cannot make the namespaces")
		       : 0;
}

static pid_t start(const struct sandbox *sandbox, struct init *init,
		   struct why *why)
{
	struct outcome *outcome = init->outcome;
	pid_t pid;
	size_t i;

	for (i = 0; i < NAMESPACES; i++)
		init->namespaces |= namespaces[i].flag;
	if (sandbox->net == NET_HOST)
		init->namespaces &= ~(uint32_t)CLONE_NEWNET;
	for (;;) {
		for (i = 0; i < NAMESPACES; i++)
			if (init->namespaces & namespaces[i].flag)
				layer_set(outcome->layers, namespaces[i].layer,
					  LAYER_ON, "");
		pid = clone(init_main, stack + sizeof(stack),
			    (int)init->namespaces | SIGCHLD, init);
		if (pid >= 0)
			return pid;
		if (find_missing(sandbox, outcome, &init->namespaces, errno,
				 why) < 0)
			return -why->errnum;
	}
}

static void note_rest(const struct sandbox *sandbox, struct outcome *outcome)
{
	if (sandbox->net == NET_HOST)
		layer_set(outcome->layers, LAYER_NETNS, LAYER_OFF,
			  "the network is the host's");
	layer_set(outcome->layers, LAYER_RLIMITS, LAYER_ON, "");
	layer_set(outcome->layers, LAYER_CGROUP, LAYER_OFF,
		  "this build makes no cgroups");
}

static double now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int run_watched(const struct sandbox *sandbox, struct outcome *shared,
		       struct watch *watch)
{
	struct init init = { .sandbox = sandbox,
			     .outcome = shared,
			     .uid = geteuid(),
			     .gid = getegid() };
	uint64_t seconds = sandbox->limits.value[LIMIT_TIME];
	autoclose int alive_fd = -1;
	pid_t pid;

	if (pipe2(init.alive, O_CLOEXEC) < 0)
		return why_sys(&shared->why, errno, "cannot make a pipe");
	alive_fd = init.alive[1];
	pid = start(sandbox, &init, &shared->why);
	(void)close(init.alive[0]);
	if (pid < 0)
		return pid;
	/* Without it, nobody would see to the time limit. */
	if (watch_until_end(watch, pid, seconds, &shared->why) < 0) {
		(void)kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	shared->timed_out = watch->timed_out;
	return 0;
}

static void run(const struct sandbox *sandbox, struct outcome *outcome)
{
	double began = now();
	struct outcome *shared;
	struct watch watch;

	if (check_standard(sandbox, outcome) < 0 || drop_groups(outcome) < 0)
		return;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		(void)why_sys(&outcome->why, errno, "cannot share memory");
		return;
	}
	note_rest(sandbox, shared);
	if (!watch_open(&watch, &shared->why)) {
		(void)run_watched(sandbox, shared, &watch);
		watch_close(&watch);
	}
	if (shared->stage != OUTCOME_STARTED && !shared->why.errnum)
		(void)why_set(&shared->why, ECHILD,
			      "process 1 of the sandbox was killed before the "
			      "command could start");
	shared->seconds = now() - began;
	memcpy(outcome, shared, sizeof(*outcome));
	(void)munmap(shared, sizeof(*shared));
}

const struct driver driver_namespaces = {
	.name = "namespaces",
	.waivable = LAYER_BIT(LAYER_IPCNS) | LAYER_BIT(LAYER_NETNS) |
		    LAYER_BIT(LAYER_PROC) | LAYER_BIT(LAYER_LANDLOCK) |
		    LAYER_BIT(LAYER_LANDLOCK_REFER) |
		    LAYER_BIT(LAYER_LANDLOCK_TRUNCATE) |
		    LAYER_BIT(LAYER_LANDLOCK_TCP) |
		    LAYER_BIT(LAYER_LANDLOCK_IOCTL) |
		    LAYER_BIT(LAYER_LANDLOCK_SCOPE) | LAYER_BIT(LAYER_SECCOMP) |
		    LAYER_BIT(LAYER_SOCKETS) | LAYER_BIT(LAYER_KEYRING),
	.run = run,
};
