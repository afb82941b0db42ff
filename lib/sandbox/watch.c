/* SPDX-License-Identifier: ISC */
#include "sandbox/watch.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

#include "sandbox/limits.h"
#include "sandbox/sandbox.h"

static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP };

void watch_open(struct watch *watch)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	size_t i;

	/* A caller that ignores it would have our child vanish. */
	(void)sigaction(SIGCHLD, &action, NULL);
	(void)sigemptyset(&watch->waited);
	(void)sigaddset(&watch->waited, SIGCHLD);
	for (i = 0; i < sizeof(forwarded) / sizeof(*forwarded); i++)
		if (!sigaction(forwarded[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			(void)sigaddset(&watch->waited, forwarded[i]);
	(void)sigprocmask(SIG_BLOCK, &watch->waited, &watch->before);
}

static bool has_ended(pid_t pid)
{
	pid_t got = waitpid(pid, NULL, WNOHANG);

	return got == pid || (got < 0 && errno != EINTR);
}

/* Stops with what is in the sandbox, and goes on with it. */
static void stop(pid_t pid)
{
	(void)kill(pid, SIGTSTP);
	(void)raise(SIGSTOP);
	(void)kill(pid, SIGCONT);
}

static int64_t seconds_left(const struct timespec *end)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return end->tv_sec - now.tv_sec + (end->tv_nsec > now.tv_nsec);
}

static void set_end(struct timespec *end, uint64_t seconds)
{
	const uint64_t most = (uint64_t)1 << 40; /* fits whatever time_t is */

	(void)clock_gettime(CLOCK_MONOTONIC, end);
	end->tv_sec += (time_t)(seconds < most ? seconds : most);
}

/* The next signal, or 0 when @end has come. */
static int next_signal(const struct watch *watch, const struct timespec *end)
{
	struct timespec left = { 0 };
	int signal;

	do {
		if (end)
			left.tv_sec = (time_t)seconds_left(end);
		if (end && left.tv_sec <= 0)
			return 0;
		signal = sigtimedwait(&watch->waited, NULL, end ? &left : NULL);
	} while (signal < 0);
	return signal;
}

bool watch_until_end(struct watch *watch, pid_t pid, uint64_t seconds)
{
	struct timespec end;
	bool limited = seconds != LIMIT_NONE;
	bool timed_out = false;
	int signal;

	if (limited)
		set_end(&end, seconds);
	while (!has_ended(pid)) {
		signal = next_signal(watch, limited ? &end : NULL);
		if (signal == SIGTSTP) {
			stop(pid);
		} else if (signal > 0 && signal != SIGCHLD) {
			(void)kill(pid, signal);
		} else if (!signal) {
			(void)kill(pid, timed_out ? SIGKILL : SIGALRM);
			limited = !timed_out;
			timed_out = true;
			set_end(&end, SANDBOX_GRACE);
		}
	}
	return timed_out;
}

void watch_close(struct watch *watch)
{
	(void)sigprocmask(SIG_SETMASK, &watch->before, NULL);
}
