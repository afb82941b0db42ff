/* SPDX-License-Identifier: ISC */
/*
 * kill-at - run a command, and kill it just before its Nth call that changes
 * files, or have that call fail, or have something happen before each
 *
 *	kill-at N -- COMMAND [ARGUMENT]...
 *	kill-at N ERRNUM -- COMMAND [ARGUMENT]...
 *	kill-at N all -- COMMAND [ARGUMENT]...
 *	kill-at before PROGRAM -- COMMAND [ARGUMENT]...
 *
 * Exits with 250 if the command was killed, with 251 if it made fewer such
 * calls, else with its status, 255 if it died of a signal.  Only the process
 * itself counts, and not what it starts; with "all" that counts too, and all of
 * them are killed at once.  With "before" nothing is: PROGRAM runs and ends
 * before each such call of any of them.  A write counts if it is to a file that
 * is not one of descriptors 0 to 2.
 *
 * For tests, which hold a program to what it says of being cut off.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/num.h"
#include "base/report.h"
#include "base/span.h"

#define KILLED 250
#define FEWER 251
#define DIED 255

#define ALL_MAX 4096 /* processes at once */

static bool changes_files(const struct __ptrace_syscall_info *info)
{
	static const long calls[] = {
		SYS_renameat2, SYS_renameat, SYS_linkat,    SYS_unlinkat,
		SYS_mkdirat,   SYS_mknodat,  SYS_symlinkat, SYS_ftruncate,
		SYS_fchmod,    SYS_fchmodat, SYS_utimensat, SYS_sendfile,
		SYS_fsync,     SYS_syncfs,
#ifdef __x86_64__
		SYS_rename,    SYS_link,     SYS_unlink,    SYS_rmdir,
		SYS_mkdir,     SYS_symlink,  SYS_chmod,
#endif
	};
	size_t i;

	if (info->entry.nr == SYS_openat)
		return info->entry.args[2] & O_CREAT;
	if (info->entry.nr == SYS_write)
		return info->entry.args[0] > STDERR_FILENO;
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if ((long)info->entry.nr == calls[i])
			return true;
	return false;
}

/* A process has one tracer, and what looks for leaks in a build with
 * sanitizers would be the second. */
static void look_for_no_leaks(void)
{
	const char *options = getenv("ASAN_OPTIONS");
	autofree char *more = options ? alloc_text("%s:detect_leaks=0", options)
				      : NULL;

	if (setenv("ASAN_OPTIONS", more ? more : "detect_leaks=0", true) < 0)
		die_errno(EXIT_SYSTEM, "cannot set a variable");
}

static void start(char **argv)
{
	look_for_no_leaks();
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		die_errno(EXIT_SYSTEM, "cannot be traced");
	execvp(argv[0], argv);
	die_errno(EXIT_NOT_FOUND, "cannot run '%s'", argv[0]);
}

/* Goes on until the next stop; its status, or that of the end. */
static int next_stop(pid_t pid, int signal)
{
	int status;

	if (ptrace(PTRACE_SYSCALL, pid, NULL, (uintptr_t)signal) < 0)
		die_errno(EXIT_SYSTEM, "cannot trace");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die_errno(EXIT_SYSTEM, "cannot wait");
	return status;
}

static bool is_change(pid_t pid)
{
	struct __ptrace_syscall_info info = { 0 };

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0)
		die_errno(EXIT_SYSTEM, "cannot look at a call");
	return info.op == PTRACE_SYSCALL_INFO_ENTRY && changes_files(&info);
}

/* No call of number -1 is made; the result is put in afterwards. */
static void fail_call(pid_t pid, int errnum)
{
#ifdef __x86_64__
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		die_errno(EXIT_SYSTEM, "cannot read registers");
	regs.orig_rax = UINT64_MAX;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &regs) < 0)
		die_errno(EXIT_SYSTEM, "cannot write registers");
	(void)next_stop(pid, 0);
	regs.rax = (unsigned long long)-errnum;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &regs) < 0)
		die_errno(EXIT_SYSTEM, "cannot write registers");
#else
	(void)pid;
	(void)errnum;
	die(EXIT_MISUSE, "calls cannot be made to fail here");
#endif
}

static int kill_now(pid_t pid)
{
	int status;

	(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return KILLED;
}

/* @errnum is 0 to kill it. */
static int trace(pid_t pid, uint64_t number, int errnum)
{
	int signal = 0;
	int status;

	for (;;) {
		status = next_stop(pid, signal);
		signal = 0;
		if (WIFSIGNALED(status))
			return DIED;
		if (WIFEXITED(status))
			return number ? FEWER : WEXITSTATUS(status);
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			signal = WSTOPSIG(status);
		else if (number && is_change(pid) && !--number) {
			if (!errnum)
				return kill_now(pid);
			fail_call(pid, errnum);
		}
	}
}

/* All that is traced is killed, and nothing of it is left when this returns. */
static int kill_everything(const pid_t *pids, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		(void)kill(pids[i], SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		continue;
	return KILLED;
}

/* Runs @program while all that is traced stands still. */
static void happen(const char *program)
{
	char *const argv[] = { (char *)(uintptr_t)program, NULL };
	pid_t pid = fork();
	int status;

	if (!pid) {
		execv(program, argv);
		_exit(EXIT_NOT_FOUND);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0)
		die(EXIT_SYSTEM, "'%s' failed", program);
}

/* With @program, which happens before each change, @number counts nothing. */
static int trace_all(pid_t first, uint64_t number, const char *program)
{
	pid_t pids[ALL_MAX] = { first };
	size_t count = 1, i;
	pid_t pid = first;
	int signal = 0;
	int status;

	for (;;) {
		/* One that is gone by now is no mistake. */
		(void)ptrace(PTRACE_SYSCALL, pid, NULL, (uintptr_t)signal);
		signal = 0;
		pid = waitpid(-1, &status, __WALL);
		if (pid < 0)
			return DIED;
		for (i = 0; i < count && pids[i] != pid; i++)
			continue;
		if (i == count && count < ALL_MAX)
			pids[count++] = pid;
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (pid == first && program && WIFEXITED(status))
				return WEXITSTATUS(status);
			if (pid == first)
				return program ? DIED : FEWER;
			/* Its number may be another's by now. */
			if (i < count)
				pids[i] = pids[--count];
			continue;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			if (!is_change(pid))
				continue;
			if (program)
				happen(program);
			else if (!--number)
				return kill_everything(pids, count);
		} else if (WSTOPSIG(status) != SIGTRAP &&
			   WSTOPSIG(status) != SIGSTOP) {
			signal = WSTOPSIG(status);
		}
	}
}

struct asked {
	uint64_t number;
	uint64_t errnum;
	bool all;
	const char *program;
	char **argv;
};

static bool read_call(struct asked *asked, int argc, char **argv)
{
	const int dashes = argc > 3 && strcmp(argv[2], "--") != 0 ? 3 : 2;

	if (argc < dashes + 2 || strcmp(argv[dashes], "--") != 0)
		return false;
	asked->argv = argv + dashes + 1;
	if (dashes == 3 && !strcmp(argv[1], "before")) {
		asked->program = argv[2];
		asked->all = true;
		return true;
	}
	if (num_read(&asked->number, span_of(argv[1]), UINT32_MAX) < 0 ||
	    !asked->number)
		return false;
	asked->all = dashes == 3 && !strcmp(argv[2], "all");
	return dashes == 2 || asked->all ||
	       !num_read(&asked->errnum, span_of(argv[2]), 4095);
}

int main(int argc, char **argv)
{
	struct asked asked = { .number = 0 };
	uintptr_t options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
	int status;
	pid_t pid;

	report_name("kill-at");
	if (!read_call(&asked, argc, argv))
		die(EXIT_MISUSE,
		    "usage: kill-at N|before [ERRNUM|all|PROGRAM] -- "
		    "COMMAND...");
	pid = fork();
	if (!pid)
		start(asked.argv);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		die_errno(EXIT_SYSTEM, "cannot start");
	if (!WIFSTOPPED(status))
		die(EXIT_SYSTEM, "the command did not start");
	if (asked.all)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			   PTRACE_O_TRACECLONE;
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, options) < 0)
		die_errno(EXIT_SYSTEM, "cannot trace");
	return asked.all ? trace_all(pid, asked.number, asked.program)
			 : trace(pid, asked.number, (int)asked.errnum);
}
