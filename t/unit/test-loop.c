/* SPDX-License-Identifier: ISC */
/* The loop in which a sandbox is waited for: signals, descriptors, moments. */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/why.h"
#include "tap.h"

static struct loop loop;
static int pipe_fds[2];
static int signals, readies, timers, lates;

static void on_signal(void *arg, const struct signalfd_siginfo *info)
{
	signals += arg == &loop && info->ssi_signo == SIGUSR1 &&
		   info->ssi_pid == (uint32_t)getpid();
	loop_end(&loop);
}

static void on_ready(void *arg, short events)
{
	char byte;

	(void)arg;
	readies++;
	if (events & POLLIN)
		(void)!read(pipe_fds[0], &byte, 1);
	loop_watch(&loop, pipe_fds[0], 0, on_ready, NULL);
}

static void on_timer(void *arg)
{
	(void)arg;
	timers++;
	loop_end(&loop);
}

static void on_late(void *arg)
{
	(void)arg;
	lates++;
}

static int run(void)
{
	struct why why = { 0 };

	loop.ended = false;
	return loop_run(&loop, &why);
}

static void test_signal(void)
{
	(void)kill(getpid(), SIGUSR1);
	ok(!run() && signals == 1, "calls for a signal, with who sent it");
}

static void test_timers(void)
{
	loop_after(&loop, 10, on_timer, NULL);
	ok(!run() && timers == 1 && !loop.timer_count, "calls a timer once");

	loop_after(&loop, 0, on_timer, NULL);
	loop_after(&loop, 20, on_timer, NULL);
	loop_after(&loop, 5, on_late, NULL);
	ok(loop.timer_count == 2, "sets the same timer anew");
	ok(!run() && timers == 2 && lates == 1, "calls the first one first");

	loop_after(&loop, 5, on_late, NULL);
	loop_cancel(&loop, on_late, NULL);
	loop_after(&loop, 20, on_timer, NULL);
	ok(!run() && timers == 3 && lates == 1,
	   "does not call a cancelled one");

	loop_after(&loop, INT64_MAX, on_late, NULL);
	loop_after(&loop, 1, on_timer, NULL);
	ok(!run() && timers == 4 && lates == 1,
	   "takes a time beyond any clock");
	loop_cancel(&loop, on_late, NULL);
}

/* As run(), with a timer that ends it when nothing else does. */
static int run_for_a_while(void)
{
	loop_after(&loop, 20, on_timer, NULL);
	return run();
}

static void test_descriptors(void)
{
	ok(!pipe2(pipe_fds, O_CLOEXEC), "has a pipe");
	(void)!write(pipe_fds[1], "ab", 2);
	loop_watch(&loop, pipe_fds[0], POLLIN, on_ready, NULL);
	ok(!run_for_a_while() && readies == 1,
	   "calls for a descriptor until it is put off");
	loop_watch(&loop, pipe_fds[0], POLLIN, on_ready, NULL);
	ok(loop.source_count == 1, "has one source a descriptor");
	ok(!run_for_a_while() && readies == 2, "calls when it is wanted again");

	(void)close(pipe_fds[1]);
	ok(!run_for_a_while() && readies == 2,
	   "leaves the end of one that is put off");
	loop_watch(&loop, pipe_fds[0], POLLIN, on_ready, NULL);
	ok(!run_for_a_while() && readies == 3,
	   "calls for the end of one that is wanted");
	loop_forget(&loop, pipe_fds[0]);
	ok(!loop.source_count, "forgets");
}

static int first_fds[2], late_fds[2];

static void on_stale(void *arg, short events)
{
	(void)arg;
	(void)events;
	lates++;
}

/* The number of @pipe_fds[0] is that of another, empty pipe now. */
static void on_first(void *arg, short events)
{
	(void)arg;
	(void)events;
	loop_forget(&loop, first_fds[0]);
	loop_forget(&loop, pipe_fds[0]);
	if (dup2(late_fds[0], pipe_fds[0]) >= 0)
		loop_watch(&loop, pipe_fds[0], POLLIN, on_stale, NULL);
}

static void test_reuse(void)
{
	lates = 0;
	ok(!pipe2(first_fds, O_CLOEXEC) && !pipe2(pipe_fds, O_CLOEXEC) &&
		   !pipe2(late_fds, O_CLOEXEC),
	   "has three pipes");
	(void)!write(first_fds[1], "a", 1);
	(void)!write(pipe_fds[1], "a", 1);
	loop_watch(&loop, first_fds[0], POLLIN, on_first, NULL);
	loop_watch(&loop, pipe_fds[0], POLLIN, on_stale, NULL);
	ok(!run_for_a_while() && lates == 0 && loop.source_count == 1,
	   "does not tell a new source what came to one before it");
	(void)!write(late_fds[1], "a", 1);
	loop_after(&loop, 20, on_timer, NULL);
	ok(!run() && lates > 0, "tells it what comes to itself");
	loop_forget(&loop, pipe_fds[0]);
}

int main(void)
{
	struct why why = { 0 };
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGUSR1);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	ok(!loop_open(&loop, &set, on_signal, &loop, &why), "opens");
	test_signal();
	test_timers();
	test_descriptors();
	test_reuse();
	loop_close(&loop);
	ok(loop.signal_fd == -1, "closes");
	return tap_end();
}
