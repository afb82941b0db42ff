/* SPDX-License-Identifier: ISC */
/* seccomp: the lists name every call of the running kernel, by its name */

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine/seccomp.h"
#include "tap.h"

#define NO_SUCH_NUMBER 1023
#define BEYOND 64 /* numbers behind the last one that is named */

static int last_number(void)
{
	int number = NO_SUCH_NUMBER;

	while (number > 0 && !seccomp_call_name(number))
		number--;
	return number;
}

/* In a child, for a call that nobody knows may do anything. */
static bool kernel_has(int number)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(syscall(number, -1, -1, -1, -1, -1, -1) == -1 &&
				      errno == ENOSYS
			      ? 0
			      : 1);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

/*
 * A kernel that is newer than the lists brings calls that nobody has put,
 * behind all others or where a number was left free.
 */
static int new_calls(void)
{
	int end = last_number() + BEYOND;
	int fresh = 0, number;

	(void)fflush(stdout);
	for (number = 0; number < end; number++) {
		if (seccomp_call_name(number) || !kernel_has(number))
			continue;
		printf("# call %d is new: put it into lib/confine/calls.h and "
		       "t/data/calls\n",
		       number);
		fresh++;
	}
	return fresh;
}

static bool is_named(int number, const char *name)
{
	return seccomp_call_name(number) &&
	       !strcmp(seccomp_call_name(number), name);
}

int main(void)
{
	ok(kernel_has(SYS_getpid), "finds a call that the kernel has");
	ok(!new_calls(), "the running kernel has no call beyond the lists");
	ok(is_named(SYS_ptrace, "ptrace") && is_named(SYS_read, "read"),
	   "names a call");
	ok(!seccomp_call_name(-1) && !seccomp_call_name(NO_SUCH_NUMBER),
	   "has no name for a number that is none");
	return tap_end();
}
