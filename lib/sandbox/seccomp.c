/* SPDX-License-Identifier: ISC */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "base/bug.h"
#include "base/why.h"
#include "sandbox/filters.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The kernel does not write to a program; its interface lacks the const. */
#define PROGRAM(code)                                                     \
	{                                                                 \
		(unsigned short)COUNT(code), (struct sock_filter *)(code) \
	}

static const struct sock_fprog programs[] = {
	[SECCOMP_SANDBOX] = PROGRAM(filter_sandbox),
	[SECCOMP_SANDBOX_JIT] = PROGRAM(filter_sandbox_jit),
	[SECCOMP_SELF] = PROGRAM(filter_self),
};

_Static_assert(COUNT(programs) == SECCOMP_FILTERS, "a program for each");

int seccomp_load(enum seccomp_filter filter, struct why *why)
{
	bug_if(filter >= SECCOMP_FILTERS);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &programs[filter]) < 0)
		return why_sys(why, errno, "cannot load a seccomp filter");
	return 0;
}

const char *seccomp_call_name(int number)
{
	if (number < 0 || (size_t)number >= COUNT(call_names))
		return NULL;
	return call_names[number];
}
