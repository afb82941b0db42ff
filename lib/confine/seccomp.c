/* SPDX-License-Identifier: ISC */
#include "confine/seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bug.h"
#include "base/why.h"
#include "confine/filters.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The kernel does not write to a program; its interface lacks the const. */
#define PROGRAM(code)                                                     \
	{                                                                 \
		(unsigned short)COUNT(code), (struct sock_filter *)(code) \
	}

static const struct sock_fprog programs[] = {
	[SECCOMP_SANDBOX] = PROGRAM(filter_sandbox),
	[SECCOMP_SANDBOX_JIT] = PROGRAM(filter_sandbox_jit),
	[SECCOMP_STRICT] = PROGRAM(filter_strict),
	[SECCOMP_STRICT_JIT] = PROGRAM(filter_strict_jit),
	[SECCOMP_SELF] = PROGRAM(filter_self),
	[SECCOMP_IN_HOST] = PROGRAM(filter_in_host),
	[SECCOMP_NO_METADATA] = PROGRAM(filter_no_metadata),
	[SECCOMP_NO_INET] = PROGRAM(filter_no_inet),
	[SECCOMP_NO_UNIX] = PROGRAM(filter_no_unix),
};

_Static_assert(COUNT(programs) == SECCOMP_FILTERS, "a program for each");

static const struct sock_fprog told_programs[SECCOMP_FILTERS] = {
	[SECCOMP_SANDBOX] = PROGRAM(filter_sandbox_told),
	[SECCOMP_SANDBOX_JIT] = PROGRAM(filter_sandbox_jit_told),
	[SECCOMP_STRICT] = PROGRAM(filter_strict_told),
	[SECCOMP_STRICT_JIT] = PROGRAM(filter_strict_jit_told),
	[SECCOMP_CLERK] = PROGRAM(filter_clerk),
	[SECCOMP_CLERK_JIT] = PROGRAM(filter_clerk_jit),
	[SECCOMP_CLERK_STRICT] = PROGRAM(filter_clerk_strict),
	[SECCOMP_CLERK_STRICT_JIT] = PROGRAM(filter_clerk_strict_jit),
};

enum seccomp_filter seccomp_for(bool strict, bool jit)
{
	if (strict)
		return jit ? SECCOMP_STRICT_JIT : SECCOMP_STRICT;
	return jit ? SECCOMP_SANDBOX_JIT : SECCOMP_SANDBOX;
}

enum seccomp_filter seccomp_for_clerk(bool strict, bool jit)
{
	if (strict)
		return jit ? SECCOMP_CLERK_STRICT_JIT : SECCOMP_CLERK_STRICT;
	return jit ? SECCOMP_CLERK_JIT : SECCOMP_CLERK;
}

int seccomp_load(enum seccomp_filter filter, struct why *why)
{
	bug_if(filter >= SECCOMP_FILTERS || !programs[filter].len);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &programs[filter]) < 0)
		return why_sys(why, errno, "cannot load a seccomp filter");
	return 0;
}

int seccomp_listen(enum seccomp_filter filter, struct why *why)
{
	struct seccomp_notif_sizes sizes;
	long fd;

	bug_if(filter >= SECCOMP_FILTERS || !told_programs[filter].len);
	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
		return why_sys(why, errno, "cannot listen for system calls");
	if (sizes.seccomp_notif > SECCOMP_NOTIF_ROOM)
		return why_set(why, EOVERFLOW,
			       "cannot listen for system calls: this kernel "
			       "says more of one than there is room for");
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_NEW_LISTENER, &told_programs[filter]);
	if (fd < 0)
		return why_sys(why, errno, "cannot listen for system calls");
	return (int)fd;
}

const char *seccomp_call_name(int number)
{
	if (number < 0 || (size_t)number >= COUNT(call_names))
		return NULL;
	return call_names[number];
}
