/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - run a command in a sandbox
 *
 * Reads policies, builds what they say and no more, runs one command in it
 * and hands its status through.  See chock-spawn(1), chock-policy(5).
 */

#include "chock-spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/report.h"
#include "base/why.h"
#include "sandbox/driver.h"
#include "spec/outcome.h"
#include "tty/modes.h"

static struct spawn spawn = {
	.options = { .report_fd = -1,
		     .status_fd = -1,
		     .frozen_fd = -1,
		     .list_fd = -1 },
};

static const struct opt_table options = {
	"chock-spawn",
	"[OPTION]... [--] COMMAND [ARGUMENT]...\n"
	"--recover DIR [--commit | --discard]",
	"run a command in a sandbox",
	(const struct opt[]){
		{ .letter = 'p',
		  .name = "policy",
		  .arg = "POLICY",
		  .help = "hold the command to POLICY, a shipped one or a path",
		  .list = &spawn.options.policies },
		{ .name = "find-policy",
		  .help = "without --policy, take the person's own, or base",
		  .flag = &spawn.options.find_policy },
		{ .name = "ceiling",
		  .arg = "POLICY",
		  .help = "permit no more than POLICY does",
		  .list = &spawn.options.ceilings },
		{ .name = "frozen-fd",
		  .arg = "FD",
		  .help = "take what chock-policy-eval --freeze printed",
		  .fd = &spawn.options.frozen_fd },
		{ .name = "rule",
		  .arg = "RULE",
		  .help = "add a rule, before those of all policies",
		  .list = &spawn.options.rules },
		{ .name = "read",
		  .arg = "PATH",
		  .help = "make PATH readable",
		  .list = &spawn.options.reads },
		{ .name = "write",
		  .arg = "PATH",
		  .help = "make PATH readable and writable",
		  .list = &spawn.options.writes },
		{ .name = "hide",
		  .arg = "PATH",
		  .help = "hide PATH, whatever grants it",
		  .list = &spawn.options.hides },
		{ .name = "tmpfs",
		  .arg = "PATH",
		  .help = "put an empty directory in memory at PATH",
		  .list = &spawn.options.tmpfses },
		{ .name = "bind",
		  .arg = "SOURCE:PATH[:ro]",
		  .help = "show SOURCE at PATH, writable without :ro",
		  .list = &spawn.options.binds },
		{ .name = "project",
		  .arg = "DIR",
		  .help = "what @project@ stands for (the working directory)",
		  .str = &spawn.options.project },
		{ .name = "copy",
		  .arg = "DIR",
		  .help = "show DIR, writable, in the project's place",
		  .str = &spawn.options.copy },
		{ .name = "hidden-in-copy",
		  .help = "cover nothing in --copy DIR, which lacks what is "
			  "hidden",
		  .flag = &spawn.options.hidden_in_copy },
		{ .name = "tool",
		  .arg = "NAME",
		  .help = "the tool of whose call it is (run_command)",
		  .str = &spawn.options.tool },
		{ .name = "agent",
		  .arg = "KIND",
		  .help = "the kind of agent whose call it is (main)",
		  .str = &spawn.options.agent },
		{ .name = "cow",
		  .arg = "DIR",
		  .help = "keep apart what is written to DIR, commit on status 0",
		  .str = &spawn.options.cow },
		{ .name = "layers",
		  .arg = "W",
		  .help = "keep that in the directory W, and commit nothing",
		  .str = &spawn.options.layers },
		{ .name = "commit",
		  .help = "commit whatever the status, or what was changed",
		  .flag = &spawn.options.commit },
		{ .name = "discard",
		  .help = "commit nothing",
		  .flag = &spawn.options.discard },
		{ .name = "dry-run",
		  .help = "print what would change, and commit nothing",
		  .flag = &spawn.options.dry_run },
		{ .name = "list-fd",
		  .arg = "N",
		  .help = "print what --dry-run does to descriptor N",
		  .fd = &spawn.options.list_fd },
		{ .letter = 'z',
		  .name = "null",
		  .help = "end what --dry-run prints with NUL, not newline",
		  .flag = &spawn.options.null },
		{ .name = "recover",
		  .arg = "DIR",
		  .help = "put in place what a commit to DIR left undone",
		  .str = &spawn.options.recover },
		{ .name = "net",
		  .arg = "none|host",
		  .help = "the network: none, or the host's own",
		  .str = &spawn.options.net },
		{ .name = "limit",
		  .arg = "KEY=VALUE",
		  .help = "limit a resource, such as memory=2GiB or time=90s",
		  .list = &spawn.options.limits },
		{ .name = "syscalls",
		  .arg = "strict",
		  .help = "allow only calls that ordinary programs make",
		  .str = &spawn.options.syscalls },
		{ .name = "env",
		  .arg = "NAME=VALUE",
		  .help = "set an environment variable",
		  .list = &spawn.options.envs },
		{ .name = "chdir",
		  .arg = "DIR",
		  .help = "start the command in DIR",
		  .str = &spawn.options.workdir },
		{ .name = "timeout",
		  .arg = "TIME",
		  .help = "end everything after TIME, such as 90s or 5m",
		  .seconds = &spawn.options.timeout,
		  .min = 1,
		  .max = INT64_MAX },
		{ .name = "tty",
		  .help = "a terminal of the sandbox's own, for the caller's",
		  .flag = &spawn.options.tty },
		{ .name = "driver",
		  .arg = "namespaces|landlock|auto",
		  .help = "how the sandbox is built",
		  .str = &spawn.options.driver },
		{ .name = "cgroup",
		  .arg = "auto|none|FD",
		  .help = "the cgroup: one of its own, none, or the caller's",
		  .str = &spawn.options.cgroup },
		{ .name = "report-fd",
		  .arg = "N",
		  .help = "write two lines of JSON to descriptor N",
		  .fd = &spawn.options.report_fd },
		{ .name = "status-fd",
		  .arg = "N",
		  .help = "write one line that says how it ended",
		  .fd = &spawn.options.status_fd },
		{ .name = "allow-degraded",
		  .arg = "LAYER",
		  .help = "go on without LAYER if it cannot be had",
		  .list = &spawn.options.degraded },
		{ .name = "die-with-parent",
		  .help = "end when the calling process ends",
		  .flag = &spawn.options.die_with_parent },
		{ .name = "print-driver",
		  .help = "with --check, print which driver would be taken",
		  .flag = &spawn.options.print_driver },
		{ .name = "print-limit",
		  .arg = "KEY",
		  .help = "with --check, print what the limit KEY comes to",
		  .str = &spawn.options.print_limit },
		{ .name = "check",
		  .help = "read the policies and options, and run nothing",
		  .flag = &spawn.options.check },
		{ .name = "explain",
		  .help = "say on standard error what the sandbox did",
		  .flag = &spawn.options.explain },
		{ .name = NULL } },
};

/*
 * Our arguments and environment lie behind one another, see execve(2).  What
 * the command gets is a copy, for the original is wiped inside.
 */
static void take_command(int argc, char **argv, int first)
{
	const char **copy =
		alloc_zero((size_t)(argc - first) + 1, sizeof(*copy));
	char **last = *environ ? environ : argv + argc - 1;
	int i;

	while (last[1])
		last++;
	spawn.sandbox.title = argv[0];
	spawn.sandbox.title_len = (size_t)(*last + strlen(*last) - argv[0]);
	for (i = first; i < argc; i++)
		copy[i - first] = alloc_copy(argv[i], strlen(argv[i]));
	spawn.sandbox.argv = copy;
	spawn.sandbox.env = spawn.env;
}

/* Before anything can fail, for a caller that is gone wants no sandbox. */
static void die_with_parent(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		die_errno(EXIT_SETUP, "--die-with-parent: cannot ask for it");
	if (getppid() != parent)
		die(EXIT_SETUP, "--die-with-parent: the caller is gone");
}

/* The command has 0 to 2 as well, and could write lines of its own there. */
static void check_own(const char *option, int fd)
{
	if (fd >= 0 && fd <= STDERR_FILENO)
		die(EXIT_MISUSE,
		    "--%s: descriptor %d is the command's own: name one from "
		    "%d on",
		    option, fd, STDERR_FILENO + 1);
}

/*
 * The keys are the command's from the start only where it is not one of
 * several on the terminal, as in `chock-spawn ... | less`.
 */
static void take_terminal(void)
{
	struct modes modes = MODES_CLOSED;
	struct why why = { 0 };
	bool alone = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	modes.fd = modes_find(&why);
	if (modes.fd < 0)
		die(why.errnum == ENOTTY || why.errnum == EINVAL ? EXIT_MISUSE
								 : EXIT_SETUP,
		    "--tty: %s", why.text);
	spawn.sandbox.terminal_fd = modes.fd;
	spawn.sandbox.tty = alone && modes_in_front(&modes) ? TTY_FRONT
							    : TTY_BACK;
}

static int print_checked(void)
{
	autobuf struct buf text = { 0 };

	if (spawn.options.print_driver)
		buf_addf(&text, "%s\n", spawn.driver->name);
	if (spawn.options.print_limit)
		spawn_print_limit(&spawn, &text);
	print(&text);
	return EXIT_ALLOW;
}

int main(int argc, char **argv)
{
	pid_t parent = getppid();
	struct outcome outcome = { .stage = OUTCOME_BUILDING };
	int first, status;

	spawn_tell_refusals(&spawn);
	if (fd_fill_standard() < 0)
		die_errno(EXIT_SETUP, "cannot open '/dev/null'");
	first = opt_parse(&options, argc, argv);
	spawn_cow_options(&spawn);
	if (spawn.options.recover && first == argc)
		return spawn_recover(&spawn);
	if (spawn.options.recover || (first == argc && !spawn.options.check))
		opt_misuse(&options);
	check_own("report-fd", spawn.options.report_fd);
	check_own("status-fd", spawn.options.status_fd);
	if (spawn.options.die_with_parent)
		die_with_parent(parent);
	spawn_configure(&spawn);
	if (spawn.options.check)
		return print_checked();
	take_command(argc, argv, first);
	if (spawn.options.tty)
		take_terminal();
	spawn.sandbox.report_fd = spawn.options.report_fd;
	spawn.driver->run(&spawn.sandbox, &outcome);
	status = spawn_cow_finish(&spawn, &outcome);
	spawn_tell(&spawn, &outcome);
	return status ? status : outcome_status(&outcome);
}
