/* SPDX-License-Identifier: ISC */
#include "sandbox/strays.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/num.h"

#define CHILDREN_ROOM 65536
#define AGAIN 10 /* ms, after which who has become our child is looked for */

typedef void found_fn(pid_t pid, void *arg);

/* As in proc_pid_task(5): numbers with a blank behind each. */
static int each_child(pid_t pid, found_fn *found, void *arg)
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
	if (len < 0)
		return -errno;
	text[len] = '\0';
	for (rest = text; (end = strchr(rest, ' ')); rest = end + 1)
		if (!num_read(&child,
			      (struct span){ rest, (size_t)(end - rest) },
			      INT32_MAX))
			found((pid_t)child, arg);
	return 0;
}

static void spare(pid_t pid, void *arg)
{
	struct strays *spared = arg;

	spared->pids =
		alloc_array(spared->pids, spared->count, sizeof(*spared->pids));
	spared->pids[spared->count++] = pid;
}

void strays_spare(struct strays *spared)
{
	*spared = (struct strays){ 0 };
	(void)each_child(getpid(), spare, spared);
}

void strays_drop(struct strays *spared)
{
	free(spared->pids);
	*spared = (struct strays){ 0 };
}

static bool is_spared(const struct strays *spared, pid_t pid)
{
	size_t i;

	for (i = 0; i < spared->count; i++)
		if (spared->pids[i] == pid)
			return true;
	return false;
}

struct ending {
	const struct strays *spared;
	size_t seen;
	size_t unburied; /* of those */
};

static void end_one(pid_t pid, void *arg)
{
	(void)arg;
	(void)kill(pid, SIGKILL);
}

/*
 * A keeper that hangs keeps its children.  Killed before they are looked at,
 * it buries none of them meanwhile, so that their numbers stay theirs.
 */
static void end_with_children(pid_t pid, void *arg)
{
	struct ending *ending = arg;

	if (is_spared(ending->spared, pid))
		return;
	ending->seen++;
	end_one(pid, NULL);
	(void)each_child(pid, end_one, NULL);
	if (waitpid(pid, NULL, WNOHANG) != pid)
		ending->unburied++;
}

static bool has_children(void)
{
	siginfo_t info;

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
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

/*
 * Who is buried leaves children of its own to us, which come in the next
 * round: the last one sees nobody.
 */
static int end_all(const struct strays *spared, int64_t until)
{
	struct ending ending = { .spared = spared };
	int r = 0;

	while (has_children()) {
		ending.seen = ending.unburied = 0;
		r = each_child(getpid(), end_with_children, &ending);
		if (r < 0 || !ending.seen)
			return r;
		if (ending.unburied && !wait_for_one(until))
			return -EBUSY;
	}
	return 0;
}

/* A signal that is not blocked is lost before it is waited for. */
static void block_child(sigset_t *before)
{
	sigset_t child;

	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &child, before);
}

bool strays_wait(unsigned int ms)
{
	int64_t until = clock_ms() + ms;
	sigset_t before;
	bool gone;

	block_child(&before);
	do
		gone = all_buried();
	while (!gone && wait_for_one(until));
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return gone;
}

int strays_end(const struct strays *spared, unsigned int ms)
{
	sigset_t before;
	int r;

	block_child(&before);
	r = end_all(spared, clock_ms() + ms);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}
