/* SPDX-License-Identifier: ISC */
/*
 * caller - start a command as an awkward program would
 *
 *	caller COMMAND [ARGUMENT...]
 *
 * Has eight threads that never rest, is told by a seccomp filter that there
 * is no clone3, as container engines do, and ignores and blocks signals.
 * Gives the command's exit status.
 */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/report.h"

#define THREADS 8

static struct sock_filter no_clone3[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static void *never_rest(void *unused)
{
	for (;;)
		(void)sched_yield();
	return unused;
}

static void be_awkward(void)
{
	struct sock_fprog program = { 4, no_clone3 };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	pthread_t thread;
	sigset_t all;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, never_rest, NULL) != 0)
			die(EXIT_SYSTEM, "cannot make a thread");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		die_errno(EXIT_SYSTEM, "cannot load a filter");
	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigaction(SIGUSR1, &ignore, NULL);
	/* One that libc keeps for itself, and some callers have ignored. */
	(void)syscall(SYS_rt_sigaction, 32,
		      (const unsigned long[4]){ (unsigned long)SIG_IGN }, NULL,
		      8);
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 2)
		die(EXIT_MISUSE, "which command?");
	be_awkward();
	pid = fork();
	if (!pid) {
		(void)execv(argv[1], argv + 1);
		die_errno(EXIT_SYSTEM, "cannot run '%s'", argv[1]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die_errno(EXIT_SYSTEM, "cannot start a process");
	if (WIFSIGNALED(status))
		return EXIT_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status);
}
