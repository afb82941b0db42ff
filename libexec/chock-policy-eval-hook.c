/* SPDX-License-Identifier: ISC */
/*
 * chock-policy-eval as a hook: whatever fails must block
 *
 * The harnesses that run a hook let the tool run when it ends with any other
 * status than 0 and 2, by a signal, or too late.  So this is done before all
 * else, and undone only once an answer is out.  What nobody can catch is for
 * the command line of the hook: see chock-harness(7).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "chock-policy-eval.h"

/* Enough for a handler that calls write(2); SIGSTKSZ is no constant. */
#define STACK_ROOM ((size_t)64 << 10)

static bool done;

static void block(void)
{
	if (done)
		return;
	(void)fflush(NULL);
	_exit(EXIT_BLOCK);
}

/* Says what ended us; only with what a handler may call. */
static void on_signal(int number)
{
	static const char late[] =
		"chock-policy-eval: no answer in time, so that this is "
		"blocked\n";
	static const char ended[] =
		"chock-policy-eval: ended by a signal, so that this is "
		"blocked\n";
	bool timed_out = number == SIGALRM;

	if (write(STDERR_FILENO, timed_out ? late : ended,
		  timed_out ? sizeof(late) - 1 : sizeof(ended) - 1) < 0)
		_exit(EXIT_BLOCK);
	_exit(EXIT_BLOCK);
}

static bool is_hook(int argc, char **argv)
{
	static const char option[] = "--format";
	size_t len = sizeof(option) - 1;
	int i;

	for (i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');
		bool format = !strncmp(argv[i], option, len);

		/* Misspelt as it may be, a hook was meant. */
		if (format && argv[i][len] == '=')
			value = argv[i] + len + 1;
		else if (format && !argv[i][len] && i + 1 < argc)
			value = argv[i + 1];
		else if (value)
			value++;
		else
			value = argv[i];
		if (!strcmp(value, "claude-hook") ||
		    (format && !strncmp(value, "claude", strlen("claude"))))
			return true;
	}
	return false;
}

void hook_guard(int argc, char **argv)
{
	static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGILL,
				       SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV,
				       SIGPIPE, SIGALRM, SIGTERM, SIGXCPU,
				       SIGXFSZ, SIGSYS,  SIGUSR1, SIGUSR2 };
	static char stack[STACK_ROOM];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };
	sigset_t none;
	size_t i;

	if (!is_hook(argc, argv))
		return;
	if (atexit(block) != 0 || sigaltstack(&other, NULL) < 0)
		_exit(EXIT_BLOCK);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		(void)sigaction(signals[i], &action, NULL);
	/* Who started us may have left them blocked. */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	hook_limit(HOOK_SECONDS);
}

void hook_limit(uint64_t seconds)
{
	if (seconds)
		(void)alarm((unsigned int)seconds);
}

void hook_done(void)
{
	done = true;
}
