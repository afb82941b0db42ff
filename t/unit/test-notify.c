/* SPDX-License-Identifier: ISC */
/* notify: who makes a call that kills is noted, and is dead soon after */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/why.h"
#include "confine/seccomp.h"
#include "sandbox/notify.h"
#include "spec/denial.h"
#include "tap.h"

#define MS_PER_S 1000

/* Nobody here may take longer; alarm(2) ends what would hang. */
#define TEST_SECONDS 60

/* What a child says, in memory that is shared: the listener, or an errno. */
static int *said;

static struct loop loop;
static struct denials denials;
static int children, last_status, ticks;

static void on_signal(void *arg, const struct signalfd_siginfo *info)
{
	(void)arg;
	(void)info;
	while (waitpid(-1, &last_status, WNOHANG) > 0)
		if (!--children)
			loop_end(&loop);
}

static void on_tick(void *arg)
{
	ticks++;
	loop_after(&loop, 1, on_tick, arg);
}

/* A child that loads the filter into a table of descriptors that is ours. */
static void start(void (*act)(void))
{
	struct why why = { 0 };
	pid_t pid;

	*said = -1;
	pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		abort();
	if (!pid) {
		(void)prctl(PR_SET_NAME, "o\n\033dd");
		(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		__atomic_store_n(said, seccomp_listen(SECCOMP_SANDBOX, &why),
				 __ATOMIC_SEQ_CST);
		act();
		_exit(0);
	}
	while (__atomic_load_n(said, __ATOMIC_SEQ_CST) == -1)
		(void)sched_yield();
	if (*said < 0)
		abort();
	children = 1;
}

/* Returns the status of the child that ended last. */
static int serve(void)
{
	autonotify struct notify notify = NOTIFY_CLOSED;
	struct why why = { 0 };

	memset(&denials, 0, sizeof(denials));
	notify_open(&notify, *said, &loop, &denials);
	loop.ended = false;
	if (loop_run(&loop, &why) < 0)
		abort();
	return last_status;
}

static bool died_of(int status, int signal)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

static void act_plain(void)
{
	(void)unshare(0);
}

static void act_blocked(void)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)unshare(0);
}

static void act_ignored(void)
{
	(void)signal(SIGSYS, SIG_IGN);
	(void)unshare(0);
}

static void do_nothing(int signal)
{
	(void)signal;
}

static void act_handled(void)
{
	(void)signal(SIGSYS, do_nothing);
	for (;;)
		(void)unshare(0);
}

static void *call_in_thread(void *arg)
{
	(void)arg;
	for (;;)
		(void)unshare(0);
	return NULL;
}

static void act_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, call_in_thread, NULL) != 0)
		_exit(9);
	for (;;)
		(void)pause();
}

/* The disposition is looked at and used at two times; this is in between. */
static void act_racing(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, call_in_thread, NULL) != 0)
		_exit(9);
	for (;;) {
		(void)signal(SIGSYS, do_nothing);
		(void)signal(SIGSYS, SIG_DFL);
	}
}

static void act_fine(void)
{
	_exit(getppid() > 0 ? 3 : 4);
}

/* Many who are deaf, and each of their parents goes on. */
static void act_flood(void)
{
	int i;

	for (i = 0; i < 200; i++)
		if (!fork()) {
			(void)signal(SIGSYS, SIG_IGN);
			for (;;)
				(void)unshare(0);
		}
	while (wait(NULL) > 0)
		continue;
	_exit(5);
}

static void ends_who_calls(void)
{
	const struct denial *row = denials.rows;

	start(act_plain);
	ok(died_of(serve(), SIGSYS), "ends who makes the call, with SIGSYS");
	ok(denials.count == 1 && row->count == 1 &&
		   !strcmp(denial_call(row), "unshare") && row->pid > 0 &&
		   !strcmp(row->program, "o??dd") &&
		   strstr(row->path, "test-notify"),
	   "notes the call and the program, in plain letters");
	start(act_thread);
	ok(died_of(serve(), SIGSYS), "ends the process of a thread");
	ok(row->count >= 1 && denials.count == 1, "and notes it");
	start(act_fine);
	ok(serve() == 3 << 8 && !denials.count, "nothing is told of others");
}

static void ends_the_deaf(void)
{
	start(act_blocked);
	ok(died_of(serve(), SIGKILL), "ends who blocks SIGSYS");
	start(act_ignored);
	ok(died_of(serve(), SIGKILL), "ends who ignores it");
	start(act_handled);
	ok(died_of(serve(), SIGKILL), "ends who handles it");
	start(act_racing);
	serve();
	ok(died_of(last_status, SIGKILL) || died_of(last_status, SIGSYS),
	   "ends who changes that from one moment to the next");
}

static void goes_on(void)
{
	ticks = 0;
	on_tick(&loop);
	start(act_flood);
	ok(serve() == 5 << 8 && denials.count == 1 &&
		   denials.rows[0].count >= 200,
	   "ends two hundred of them");
	ok(ticks > 1, "and goes on with other things meanwhile");
	loop_cancel(&loop, on_tick, &loop);
}

static void act_second(void)
{
	struct why why = { 0 };

	_exit(seccomp_listen(SECCOMP_SANDBOX, &why) == -EBUSY ? 6 : 7);
}

static void act_unheard(void)
{
	while (*said >= 0)
		(void)sched_yield();
	_exit(unshare(0) < 0 && errno == ENOSYS ? 8 : 9);
}

static void is_alone(void)
{
	int status;

	start(act_second);
	ok(serve() == 6 << 8, "there is no listener below a listener");
	start(act_unheard);
	(void)close(*said);
	__atomic_store_n(said, -2, __ATOMIC_SEQ_CST);
	(void)wait(&status);
	ok(status == 8 << 8, "without its listener the call is not there");
}

int main(void)
{
	struct why why = { 0 };
	sigset_t child;

	(void)alarm(TEST_SECONDS);
	said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &child, NULL);
	if (said == MAP_FAILED ||
	    loop_open(&loop, &child, on_signal, NULL, &why) < 0)
		return 99;
	ends_who_calls();
	ends_the_deaf();
	goes_on();
	is_alone();
	loop_close(&loop);
	return tap_end();
}
