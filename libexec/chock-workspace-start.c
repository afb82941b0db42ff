/* SPDX-License-Identifier: ISC */
/*
 * chock-workspace - the part that comes before a verb
 */

#include "chock-workspace-start.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/place.h"
#include "base/report.h"
#include "base/why.h"

#define KEPT "chock-kept"

/* The verbs that chock-kept has, and whether they are ours as well. */
static const struct {
	const char *name;
	bool ours;
} verbs[] = {
	{ "list", false }, { "diff", true },   { "apply", true },
	{ "adopt", true }, { "export", true }, { "clear", true },
};

static bool names_workspace(char **words)
{
	for (; *words; words++)
		if (!strncmp(*words, "-w", 2) ||
		    !strncmp(*words, "--workspace", strlen("--workspace")))
			return true;
	return false;
}

/* Ours with an option that is ours, and nothing else, is a mistake of ours; who
 * gave nothing is a person, who knows of sessions. */
static bool names_session(int argc, char **argv)
{
	return argc == 2 ||
	       (argv[2][0] != '-' || !strcmp(argv[2], "--all") ||
		!strcmp(argv[2], "--yes") || !strcmp(argv[2], "--landed") ||
		!strcmp(argv[2], "--templates"));
}

static bool is_for_person(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(argv[1], verbs[i].name))
			return !verbs[i].ours || (names_session(argc, argv) &&
						  !names_workspace(argv + 2));
	return false;
}

void workspace_for_person(int argc, char **argv)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };

	if (!is_for_person(argc, argv))
		return;
	report_name("chock-workspace");
	if (place_program(&path, KEPT, &why) < 0)
		die_why(&why);
	(void)execv(buf_str(&path), argv);
	die_errno(EXIT_SYSTEM, "cannot run '%s'", buf_str(&path));
}

/*
 * Also for what runs outside of the sandbox: the objects that git reads there
 * were made inside, and a small tree can stand for more files than there is
 * time to look at.
 */
void workspace_limit_git(uint64_t seconds)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit) < 0)
		die_errno(EXIT_SYSTEM, "cannot read the limits");
	if (limit.rlim_max < seconds)
		return;
	limit.rlim_cur = seconds;
	limit.rlim_max = seconds;
	if (setrlimit(RLIMIT_CPU, &limit) < 0)
		die_errno(EXIT_SYSTEM, "cannot limit processor time");
}
