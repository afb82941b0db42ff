/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that says which system calls there are
 */

#include <string.h>

#include "base/exitcode.h"
#include "base/report.h"
#include "chock-spawn.h"

void spawn_syscalls(struct spawn *spawn,
		    const struct policy_statement *statement, const char *by)
{
	(void)statement;
	(void)by;
	spawn->sandbox.strict = true;
}

void spawn_set_syscalls(struct spawn *spawn)
{
	const char *syscalls = spawn->options.syscalls;

	if (!syscalls)
		return;
	if (strcmp(syscalls, "strict") != 0)
		die(EXIT_MISUSE,
		    "--syscalls: '%s' is not strict, the only one there is",
		    syscalls);
	spawn->sandbox.strict = true;
}
