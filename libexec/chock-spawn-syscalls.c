/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that says which system calls there are
 */

#include <string.h>

#include "base/exitcode.h"
#include "base/report.h"
#include "chock-spawn.h"

static bool is_said(const struct policy *policy)
{
	size_t i;

	for (i = 0; i < policy->statement_count; i++)
		if (policy->statements[i].keyword == POLICY_SYSCALLS)
			return true;
	return false;
}

void spawn_set_syscalls(struct spawn *spawn)
{
	const char *syscalls = spawn->options.syscalls;

	if (syscalls && strcmp(syscalls, "strict") != 0)
		die(EXIT_MISUSE,
		    "--syscalls: '%s' is not strict, the only one there is",
		    syscalls);
	spawn->sandbox.strict = syscalls || is_said(&spawn->policy);
}
