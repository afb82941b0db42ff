/* SPDX-License-Identifier: ISC */
#include "sandbox/landlocked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "confine/seccomp.h"
#include "sandbox/driver.h"
#include "sandbox/outside.h"
#include "sandbox/strays.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"

/*
 * The driver for kernels and containers that give nobody a namespace.  The
 * command stays in the host's own tree, and what it may do there Landlock and
 * the lists of system calls decide alone.  So much of this is about ends: the
 * kernel ends a pid namespace by itself, and has nothing of the kind here.
 *
 *  - While the keeper lives, it kills by kill(2) with -1 from a Landlock
 *    domain of its own that no signal leaves: the kernel goes through all
 *    processes at once, so that no fork is quick enough.
 *  - If we are killed, the keeper gets a signal for that, and does the same.
 *  - If the keeper is killed, what it had is ours, and goes one by one.
 *  - If the keeper hangs, it is killed, and its children as well.  So that it
 *    does not, what waits for files is done by others: the clerk, and us.
 */

static struct landlocked state;

/* "/run/chock/..." in a variable is what the driver for namespaces has. */
static const char *at_nest(const char *variable)
{
	const char *value = strchr(variable, '=') + 1;

	if (strncmp(value, SANDBOX_RUN "/", sizeof(SANDBOX_RUN)) != 0)
		return variable;
	return alloc_text("%.*s%s%s", (int)(value - variable), variable,
			  state.nest.path, value + sizeof(SANDBOX_RUN) - 1);
}

static void move_env(struct sandbox *sandbox)
{
	const char **env;
	size_t count = 0;
	size_t i;

	while (sandbox->env[count])
		count++;
	env = alloc_zero(count + 1, sizeof(*env));
	for (i = 0; i < count; i++)
		env[i] = at_nest(sandbox->env[i]);
	sandbox->env = env;
}

/* driver_check() left only those that may be missing. */
static void leave_out_tmpfs(struct sandbox *sandbox)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < sandbox->grant_count; i++)
		if (sandbox->grants[i].kind != GRANT_TMPFS)
			sandbox->grants[kept++] = sandbox->grants[i];
	sandbox->grant_count = kept;
}

/* What --bind shows in the home is there by a link, and granted where it is. */
static int link_home(struct sandbox *sandbox, struct why *why)
{
	struct grant *grant = sandbox->grants;
	struct grant *end = grant + sandbox->grant_count;
	int r = 0;

	for (; grant < end && !r; grant++) {
		const char *part = driver_home_part(grant);
		const char *path = part ? realpath(grant->source, NULL) : NULL;

		if (!part)
			continue;
		if (!path)
			return why_sys(why, errno, "%s: cannot find '%s'",
				       grant->by, grant->source);
		r = nest_link(&state.nest, part, path, why);
		grant->source = path;
		grant->target = NULL;
	}
	return r;
}

static int settle(struct sandbox *sandbox, struct outcome *outcome)
{
	struct why *why = &outcome->why;
	int r;

	if (nest_make(&state.nest, why) < 0)
		return why_within(why, "cannot make a home");
	sandbox->home = alloc_text("%s/" NEST_HOME, state.nest.path);
	sandbox->nest = state.nest.path;
	r = link_home(sandbox, why);
	if (r < 0)
		return r;
	leave_out_tmpfs(sandbox);
	move_env(sandbox);
	sandbox->limits.value[LIMIT_SCRATCH] = LIMIT_NONE;
	sandbox->in_place = true;
	/* The host's sockets: Landlock or the filter holds them. */
	sandbox->sockets = NULL;
	if (sandbox->net == NET_NONE)
		sandbox->filters |= SECCOMP_BIT(SECCOMP_NO_INET);
	if (state.abi < LANDLOCKED_UNIX_ABI)
		sandbox->filters |= SECCOMP_BIT(SECCOMP_NO_UNIX);
	sandbox->filters |= SECCOMP_BIT(SECCOMP_IN_HOST);
	return 0;
}

static int check_abi(struct outcome *outcome)
{
	struct why *why = &outcome->why;
	struct landlock landlock = LANDLOCK_CLOSED;

	state.abi = landlock_abi();
	if (state.abi >= LANDLOCKED_ABI)
		return 0;
	/* For the kernel's own word of what is the matter. */
	if (!state.abi && landlock_open(&landlock, false, why) < 0) {
		(void)why_set(why, why->errnum, "%s; 'chock doctor' says why",
			      why->text);
		return layer_failed(outcome->layers, LAYER_LANDLOCK, why);
	}
	landlock_close(&landlock);
	(void)why_set(why, ENOSYS,
		      "the driver 'landlock' needs Landlock ABI %d (Linux "
		      "6.12), and the kernel has %d",
		      LANDLOCKED_ABI, state.abi);
	return layer_failed(outcome->layers, LAYER_LANDLOCK_SCOPE, why);
}

static int works(struct why *why)
{
	struct outcome outcome = { .stage = OUTCOME_BUILDING };
	int r = check_abi(&outcome);

	*why = outcome.why;
	return r;
}

static void note_layers(struct layer_row *rows)
{
	static const enum layer spaces[] = { LAYER_USERNS, LAYER_PIDNS,
					     LAYER_IPCNS, LAYER_MOUNTNS,
					     LAYER_NETNS };
	size_t i;

	for (i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
		layer_set(rows, spaces[i], LAYER_OFF,
			  "the driver 'landlock' makes no namespaces");
	layer_set(rows, LAYER_PROC, LAYER_OFF, "it is the host's");
	layer_set(rows, LAYER_MEMFD, LAYER_OFF,
		  "there is no pid namespace to set it for");
}

static pid_t start(struct init *init, struct why *why)
{
	pid_t pid;

	init->outside = getpid();
	init->own = &state;
	pid = outside_clone(init, 0);
	if (pid < 0 && init->outcome->layers[LAYER_CGROUP].failed)
		return -why->errnum;
	return pid < 0 ? why_sys(why, errno, "cannot start a process") : pid;
}

static void end_strays(const struct strays *spared, struct outcome *outcome)
{
	int r = strays_end(spared, STRAYS_WAIT);

	if (r == -EBUSY)
		(void)why_set(&outcome->left, EBUSY,
			      "processes of the sandbox were killed and are "
			      "not gone: what they wait for does not come");
	else if (r < 0)
		(void)why_sys(&outcome->left, -r,
			      "what the command left may run on: cannot list "
			      "children (CONFIG_PROC_CHILDREN)");
}

static void run(struct sandbox *sandbox, struct outcome *outcome)
{
	static const struct outside outside = { &init_landlocked, start };
	autostrays struct strays before = { 0 };
	struct why why = { 0 };

	sandbox->driver = driver_landlock.name;
	if (check_abi(outcome) < 0)
		return;
	strays_spare(&before);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) {
		(void)why_sys(&outcome->why, errno, "cannot adopt processes");
		return;
	}
	if (!settle(sandbox, outcome)) {
		note_layers(outcome->layers);
		outside_run(&outside, sandbox, outcome);
	}
	end_strays(&before, outcome);
	if (nest_remove(&state.nest, &why) < 0 && !outcome->why.errnum &&
	    !outcome->left.errnum)
		outcome->left = why;
	nest_drop(&state.nest);
}

static const struct driver_gap gaps[] = {
	{ "names and metadata",
	  "of every file its size, times, owner and mode can be seen, and "
	  "whether it is there" },
	{ "processes",
	  "those of the host are listed in /proc with their arguments; their "
	  "memory and environment are held" },
	{ "the kernel's settings",
	  "/proc and /proc/sys are the host's to read" },
	{ "devices in grants",
	  "a device or a set-uid file in a granted directory is what it is "
	  "outside" },
	{ "hiding", "nothing in a grant can be hidden, nor be granted less" },
	{ "private places",
	  "there is no tmpfs, no moved or capped directory, no /tmp, no "
	  "/dev/shm and no pseudo-terminal" },
	{ "loopback", "with the network 'none' a program cannot serve, not "
		      "even on its own 127.0.0.1" },
	{ "shared memory", "System V and POSIX queues, semaphores and memory "
			   "are refused" },
	{ "attributes",
	  "no extended attribute or flag of a file can be changed; modes and "
	  "times can, where ptrace(2) is not withheld (ptrace_scope 2)" },
	{ "memory as a program", "a memfd can be executed" },
	{ "its end", "what outlives both chock-spawn and its keeper, killed at "
		     "once by SIGKILL, is not ended" },
	{ NULL, NULL }
};

const struct driver driver_landlock = {
	.name = "landlock",
	.waivable = LAYER_BIT(LAYER_CGROUP) | LAYER_BIT(LAYER_KEYRING),
	.can = DRIVER_LINK,
	.gaps = gaps,
	.works = works,
	.run = run,
};
