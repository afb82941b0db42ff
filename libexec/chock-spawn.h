/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPAWN_H
#define CHOCK_SPAWN_H

/*
 * chock-spawn - what its files share: the options, and what they come to
 *
 * chock-spawn.c has the table of options and runs the sandbox; others turn
 * options and policies into what is to be built, and commit what was written.
 * Mistakes of the caller end the program with EXIT_MISUSE from any of them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"
#include "base/why.h"
#include "policy/decide.h"
#include "policy/policy.h"
#include "policyfile/policyfile.h"
#include "spec/sandbox.h"
#include "tree/sockets.h"

#define SPAWN_OWN_DIRS 4

/* Whose call it is where nobody says. */
#define SPAWN_TOOL "run_command"
#define SPAWN_AGENT "main"

/* The options, as they were given. */
struct spawn_options {
	struct opt_list policies, ceilings, rules;
	struct opt_list reads, writes, hides, tmpfses, binds;
	struct opt_list limits, envs, degraded;
	const char *project, *copy, *net, *workdir, *driver, *cgroup;
	const char *syscalls;
	const char *tool, *agent; /* NULL: SPAWN_TOOL, SPAWN_AGENT */
	uint64_t timeout;         /* seconds; 0: none was given */
	int report_fd, status_fd, frozen_fd, list_fd;
	const char *cow, *layers, *recover;
	bool commit, discard, dry_run, null;
	bool hidden_in_copy;
	bool find_policy, die_with_parent, explain, check, print_driver, tty;
	const char *print_limit;
};

/* What they come to; everything in it lives as long as the program. */
struct spawn {
	struct spawn_options options;
	struct sandbox sandbox;
	struct own_dir own_dirs[SPAWN_OWN_DIRS];
	struct sockets sockets;
	const char **env; /* owned; NULL at the end */
	size_t env_count;
	const char **lent; /* what grants borrow that nothing else here has, */
	size_t lent_count; /* for a driver may put another path there */
	const char *cwd;   /* NULL where it has no name */
	const char *project;    /* absolute, or NULL */
	const char *moved_from; /* what it is a copy of, if it is not there */
	const struct driver *driver;
	struct why passed; /* why it is not a stronger one */
	struct policyfiles files;
	struct policy policy;
	struct asker asker;                    /* whose call it is */
	bool limit_said[LIMIT_COUNT];          /* by a policy */
	bool limit_given[LIMIT_COUNT];         /* by an option */
	const struct policy_statement *net_by; /* NULL: no policy says it */
	bool busy; /* another run has what this one wants */
};

struct driver;
struct outcome;

#define DRIVER_DEFAULT "namespaces"

/* spawn_absolute - @path from the root on, or leave */
const char *spawn_absolute(const struct spawn *spawn, const char *path);

/* spawn_find_project - where we are, and what @project@ is; or leave */
void spawn_find_project(struct spawn *spawn);

/* spawn_check_project - leave if what @by grants is a home that nobody named */
void spawn_check_project(const struct spawn *spawn, const char *by);

/* spawn_find_workdir - where the command is to start */
void spawn_find_workdir(struct spawn *spawn);

/* spawn_configure - everything but the command, which is left to be set */
void spawn_configure(struct spawn *spawn);

/*
 * spawn_driver - let the driver @name build it, NULL: the default
 *
 * Before anything is granted, for where things are inside is the driver's.
 */
void spawn_driver(struct spawn *spawn, const char *name);

/* spawn_print_limit - put what --print-limit asks for, and a newline, behind
 * @text; or leave */
void spawn_print_limit(const struct spawn *spawn, struct buf *text);

/* spawn_limits - set what the options say of limits */
void spawn_limits(struct spawn *spawn);

/* spawn_hold_limit - set what @statement says, whose place is @by */
void spawn_hold_limit(struct spawn *spawn,
		      const struct policy_statement *statement, const char *by);

/* spawn_narrow_limit - the same of a ceiling, which only lowers */
void spawn_narrow_limit(struct spawn *spawn,
			const struct policy_statement *statement,
			const char *by);

/* spawn_note_limit - the limit @key was set by @by */
void spawn_note_limit(struct spawn *spawn, const char *key, const char *by);

/* spawn_grant - add a grant of @kind to the sandbox, and return it */
struct grant *spawn_grant(struct spawn *spawn, enum grant_kind kind,
			  const char *source, const char *by);

/* spawn_hide - add what the pattern @pattern hides; if it is @meant for this
 * project, and not for all, that nothing is there is said */
void spawn_hide(struct spawn *spawn, const char *pattern, const char *by,
		bool meant);

/* spawn_env - set NAME=VALUE, @assignment, in the command's environment */
void spawn_env(struct spawn *spawn, const char *assignment, const char *by);

/*
 * spawn_set_syscalls - hold the command to an allowlist of system calls, where
 * --syscalls or a policy says so
 *
 * No policy can say the opposite, so that it holds in whatever layer it stands.
 */
void spawn_set_syscalls(struct spawn *spawn);

/* spawn_asker - whose call it is, and what is asked for it at the start */
void spawn_asker(struct spawn *spawn);

/* spawn_device - add the devices that @word, a name or a class, stands for */
void spawn_device(struct spawn *spawn, const char *word, const char *by);

/* spawn_policy - read the policies, and add what they say to the sandbox */
void spawn_policy(struct spawn *spawn);

/* spawn_ceilings - narrow what policies and options have come to */
void spawn_ceilings(struct spawn *spawn);

/* spawn_unheld - say, and note for the report, which rules are not held here */
void spawn_unheld(struct spawn *spawn);

/* spawn_tell - say how it went, to whom the options say */
void spawn_tell(const struct spawn *spawn, const struct outcome *outcome);

/*
 * spawn_tell_refusals - from here on, tell them too why die() was called
 *
 * As far as the options have been read by then.
 */
void spawn_tell_refusals(const struct spawn *spawn);

/* spawn_cow_options - leave if the options of a copy on write do not fit */
void spawn_cow_options(const struct spawn *spawn);

/* spawn_cow_open - take the directory @path for a copy on write, or leave */
void spawn_cow_open(struct spawn *spawn, const char *path);

/*
 * spawn_copy_open - take the directory @path for a copy whose changes are kept
 * in layers, which may be those of an earlier run, or leave
 */
void spawn_copy_open(struct spawn *spawn, const char *path);

/* spawn_cow_waiting - have the work covered that waits in any directory */
void spawn_cow_waiting(struct spawn *spawn);

/*
 * spawn_cow_finish - commit, list or discard, as @outcome and the options say
 *
 * Returns EXIT_ALLOW, or the status that stands for the command's.
 */
int spawn_cow_finish(const struct spawn *spawn, struct outcome *outcome);

/* spawn_recover - deal with what is left of an earlier run; a status */
int spawn_recover(const struct spawn *spawn);

#endif /* CHOCK_SPAWN_H */
