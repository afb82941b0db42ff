/* SPDX-License-Identifier: ISC */
#include "sandbox/watch.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/why.h"
#include "sandbox/pipes.h"
#include "spec/limits.h"
#include "spec/sandbox.h"
#include "tty/relay.h"

#define MS_PER_S 1000

static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP };
static const int of_terminals[] = { SIGCONT, SIGWINCH };

static bool has_ended(pid_t pid)
{
	pid_t got = waitpid(pid, NULL, WNOHANG);

	return got == pid || (got < 0 && errno != EINTR);
}

/* Who cannot be told is ended when it comes to that, or has ended. */
static void tell(const struct watch *watch, int signal)
{
	unsigned char word = (unsigned char)signal;

	(void)send(watch->word_fd, &word, sizeof(word),
		   MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Stops with what is in the sandbox, and goes on with it. */
static void stop(const struct watch *watch)
{
	tell(watch, SIGTSTP);
	(void)raise(SIGSTOP);
	tell(watch, SIGCONT);
}

/* It hangs.  What it has is the driver's to end, without it. */
static void give_up(void *arg)
{
	struct watch *watch = arg;

	if (!watch->ended)
		(void)kill(watch->pid, SIGKILL);
	loop_end(&watch->loop);
}

/*
 * SIGKILL ends a process 1 that leads a namespace, and the kernel all of that;
 * then there is nobody who could do it better.
 */
void watch_end(struct watch *watch)
{
	(void)kill(watch->pid, watch->end_signal);
	if (watch->end_signal != SIGKILL)
		loop_after(&watch->loop, (int64_t)SANDBOX_GRACE * MS_PER_S,
			   give_up, watch);
}

static void on_time(void *arg)
{
	struct watch *watch = arg;

	if (watch->ended) {
		watch->timed_out = watch->timed_out || watch->passing;
		loop_end(&watch->loop);
		return;
	}
	if (watch->timed_out) {
		watch_end(watch);
		return;
	}
	tell(watch, SIGALRM);
	loop_after(&watch->loop, (int64_t)SANDBOX_GRACE * MS_PER_S, on_time,
		   watch);
	watch->timed_out = true;
}

static void leave(void *arg)
{
	struct watch *watch = arg;

	watch->passing = false;
	if (watch->relay)
		relay_finish(watch->relay);
	else
		loop_end(&watch->loop);
}

/* A reader that takes nothing does not keep us when the time is over. */
static void end(struct watch *watch)
{
	watch->ended = true;
	if (watch->timed_out)
		loop_after(&watch->loop, (int64_t)SANDBOX_GRACE * MS_PER_S,
			   on_time, watch);
	watch->passing = true;
	if (watch->pipes)
		pipes_finish(watch->pipes, leave, watch);
	else
		leave(watch);
}

/* Once it has ended, its process id may be another's. */
static void on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct watch *watch = arg;
	int signal = (int)info->ssi_signo;

	if (signal == SIGCHLD) {
		if (!watch->ended && has_ended(watch->pid))
			end(watch);
	} else if (watch->relay && relay_signal(watch->relay, signal)) {
		return;
	} else if (watch->ended) {
		loop_end(&watch->loop);
	} else if (signal == SIGTSTP) {
		stop(watch);
	} else {
		tell(watch, signal);
	}
}

int watch_open(struct watch *watch, enum sandbox_tty tty, struct why *why)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	struct sigaction of_children;
	sigset_t waited;
	size_t i;
	int r;

	/* A caller that ignores it would have our child vanish. */
	(void)sigaction(SIGCHLD, &action, &of_children);
	(void)sigemptyset(&waited);
	(void)sigaddset(&waited, SIGCHLD);
	for (i = 0; i < sizeof(forwarded) / sizeof(*forwarded); i++)
		if (!sigaction(forwarded[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			(void)sigaddset(&waited, forwarded[i]);
	for (i = 0; tty != TTY_CALLERS &&
		    i < sizeof(of_terminals) / sizeof(*of_terminals);
	     i++)
		(void)sigaddset(&waited, of_terminals[i]);
	*watch = (struct watch){ .loop = LOOP_CLOSED,
				 .word_fd = -1,
				 .of_children = of_children,
				 .end_signal = SIGKILL };
	r = loop_open(&watch->loop, &waited, on_signal, watch, why);
	/* A signal that is not blocked never comes to the loop. */
	if (!r && sigprocmask(SIG_BLOCK, &waited, &watch->before) < 0) {
		r = why_sys(why, errno, "cannot wait for signals");
		loop_close(&watch->loop);
	}
	if (r < 0)
		(void)sigaction(SIGCHLD, &of_children, NULL);
	return r;
}

int watch_until_end(struct watch *watch, uint64_t seconds, struct why *why)
{
	const uint64_t most = INT64_MAX / MS_PER_S;

	if (has_ended(watch->pid))
		end(watch);
	if (seconds != LIMIT_NONE)
		loop_after(&watch->loop,
			   (int64_t)(seconds < most ? seconds : most) *
				   MS_PER_S,
			   on_time, watch);
	return loop_run(&watch->loop, why);
}

void watch_close(struct watch *watch)
{
	loop_close(&watch->loop);
	(void)sigaction(SIGCHLD, &watch->of_children, NULL);
	(void)sigprocmask(SIG_SETMASK, &watch->before, NULL);
}
