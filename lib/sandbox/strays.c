/* SPDX-License-Identifier: ISC */
#include "sandbox/strays.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/num.h"

#define CHILDREN_ROOM 65536
#define AGAIN 10 /* ms, after which who has become our child is looked for */

typedef void found_fn(pid_t pid);

/* As in proc_pid_task(5): numbers with a blank behind each. */
static void each_child(pid_t pid, found_fn *found)
{
	char path[64], text[CHILDREN_ROOM];
	autoclose int fd = -1;
	uint64_t child;
	char *rest, *end;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid,
		       pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[len < 0 ? 0 : len] = '\0';
	for (rest = text; (end = strchr(rest, ' ')); rest = end + 1)
		if (!num_read(&child,
			      (struct span){ rest, (size_t)(end - rest) },
			      INT32_MAX))
			found((pid_t)child);
}

static void end_one(pid_t pid)
{
	(void)kill(pid, SIGKILL);
}

/*
 * A keeper that hangs keeps its children.  Killed before they are looked at,
 * it buries none of them meanwhile, so that their numbers stay theirs.
 */
static void end_with_children(pid_t pid)
{
	end_one(pid);
	each_child(pid, end_one);
}

static bool all_buried(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0 || (pid < 0 && errno == EINTR));
	return pid < 0;
}

/* Until a child ends, or it is time to look again; false when time is over. */
static bool wait_for_one(int64_t until)
{
	int64_t left = until - clock_ms();
	struct timespec pause = { 0 };
	sigset_t child;

	if (left <= 0)
		return false;
	pause.tv_nsec = (left < AGAIN ? left : AGAIN) * CLOCK_NS_PER_MS;
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigtimedwait(&child, NULL, &pause);
	return true;
}

static bool end_all(unsigned int ms, bool by_force)
{
	int64_t until = clock_ms() + ms;
	sigset_t child, before;
	bool gone;

	/* One that is not blocked is lost before it is waited for. */
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &child, &before);
	while (!(gone = all_buried())) {
		if (by_force)
			each_child(getpid(), end_with_children);
		if (!wait_for_one(until))
			break;
	}
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return gone;
}

bool strays_wait(unsigned int ms)
{
	return end_all(ms, false);
}

bool strays_end(unsigned int ms)
{
	return end_all(ms, true);
}
