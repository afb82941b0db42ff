/* SPDX-License-Identifier: ISC */
/* strays: what was adopted ends, and nobody waits for longer than was said */
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/strays.h"
#include "tap.h"

#define SHORT 50
#define LONG 10000

static const struct strays none;
static int held[2]; /* a pipe that all processes that are left hold open */

static pid_t start(unsigned int below)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	(void)close(held[0]);
	if (below)
		(void)start(below - 1);
	for (;;)
		(void)pause();
}

/* With the end of the last one, the pipe hangs up. */
static bool all_gone(void)
{
	struct pollfd end = { .fd = held[0], .events = POLLIN };

	(void)close(held[1]);
	return poll(&end, 1, LONG) > 0;
}

static void begin(void)
{
	if (pipe(held) < 0)
		_exit(111);
}

static void test_wait(void)
{
	pid_t pid;

	begin();
	ok(strays_wait(LONG), "is done at once where there is nobody");
	pid = start(0);
	ok(!strays_wait(SHORT) && !kill(pid, 0),
	   "waits no longer than it may, and ends nobody");
	(void)kill(pid, SIGKILL);
	ok(strays_wait(LONG) && all_gone(), "buries who ends meanwhile");
}

static void test_end(void)
{
	begin();
	(void)start(0);
	(void)start(3);
	ok(!strays_end(&none, LONG) && all_gone() &&
		   waitpid(-1, NULL, WNOHANG) < 0,
	   "ends children, and what they leave, down to the last");
}

static void test_deaf(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	pid_t pid;

	begin();
	(void)sigaction(SIGTERM, &ignore, NULL);
	pid = start(1);
	(void)kill(pid, SIGSTOP);
	ok(!strays_end(&none, LONG) && all_gone(),
	   "ends who is stopped, or ignores");
}

static void test_mask(void)
{
	sigset_t mask;

	begin();
	(void)start(0);
	ok(!strays_end(&none, LONG) && !sigprocmask(SIG_BLOCK, NULL, &mask) &&
		   !sigismember(&mask, SIGCHLD),
	   "leaves the signals as they were");
}

static void test_spared(void)
{
	autostrays struct strays spared = { 0 };
	pid_t before, pid;

	begin();
	before = start(0);
	strays_spare(&spared);
	pid = start(1);
	ok(!strays_end(&spared, LONG) && kill(pid, 0) < 0 && !kill(before, 0),
	   "spares who was there before, and waits for none of them");
	(void)kill(before, SIGKILL);
	ok(!strays_end(&spared, LONG) && waitpid(before, NULL, 0) == before &&
		   all_gone(),
	   "and does not bury them");
}

int main(void)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return 111;
	test_wait();
	test_end();
	test_deaf();
	test_mask();
	test_spared();
	return tap_end();
}
