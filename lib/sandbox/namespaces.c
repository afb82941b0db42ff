/* SPDX-License-Identifier: ISC */
#include "sandbox/namespaces.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/child.h"
#include "base/why.h"
#include "sandbox/driver.h"
#include "sandbox/outer.h"
#include "sandbox/outside.h"
#include "spec/outcome.h"
#include "spec/sandbox.h"

/*
 * The driver for kernels with user namespaces.  All namespaces but that of the
 * network (sandbox/netns.h) are made by one clone(2), and the process that is
 * born into them builds the rest (sandbox/init.h).  When it has ended, so has
 * everything in the sandbox.
 */

#define STACK_ROOM ((size_t)64 << 10) /* of a process that tries something */

static const struct namespace
{
	uint32_t flag;
	enum layer layer;
}
namespaces[] = {
	{ CLONE_NEWUSER, LAYER_USERNS },
	{ CLONE_NEWPID, LAYER_PIDNS },
	{ CLONE_NEWIPC, LAYER_IPCNS },
	{ CLONE_NEWNS, LAYER_MOUNTNS },
};

#define NAMESPACES (sizeof(namespaces) / sizeof(*namespaces))

static char stack[STACK_ROOM] __attribute__((aligned(16)));

static int do_nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* Whether a process can be born with @flags; its errno is left. */
static bool can_clone(uint32_t flags)
{
	pid_t pid = clone(do_nothing, stack + sizeof(stack),
			  (int)flags | CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	if (pid < 0)
		return false;
	child_bury(pid);
	return true;
}

struct trial {
	uid_t uid;
	gid_t gid;
	struct why *why;
};

static int try_map(void *arg)
{
	const struct trial *trial = arg;

	return namespaces_map(trial->uid, trial->gid, trial->why) < 0;
}

/* A user namespace is what all others need, and what is withheld. */
static int works(struct why *why)
{
	struct trial trial = { geteuid(), getegid(), why };
	pid_t pid;

	*why = (struct why){ 0 };
	pid = clone(try_map, stack + sizeof(stack),
		    CLONE_NEWUSER | CLONE_VM | CLONE_VFORK | SIGCHLD, &trial);
	if (pid < 0)
		return why_sys(why, errno, "cannot make a user namespace");
	child_bury(pid);
	return -why->errnum;
}

/*
 * Takes from @flags what cannot be had and is waived.  One by one, and only
 * after all at once has failed with @errnum.
 */
static int find_missing(const struct sandbox *sandbox, struct outcome *outcome,
			uint32_t *flags, int errnum, struct why *why)
{
	uint32_t asked = *flags;
	size_t i;

	/* One worth nothing, as AppArmor leaves it, refuses the rest. */
	if (works(why) < 0)
		return layer_failed(outcome->layers, LAYER_USERNS, why);
	for (i = 0; i < NAMESPACES; i++) {
		if (!(asked & namespaces[i].flag) ||
		    can_clone(CLONE_NEWUSER | namespaces[i].flag))
			continue;
		(void)why_sys(why, errno, "cannot make the namespace");
		if (layer_lost(outcome->layers, namespaces[i].layer,
			       sandbox->waived, why) < 0)
			return -why->errnum;
		*flags &= ~namespaces[i].flag;
	}
	return *flags == asked
		       ? why_sys(why, errnum, "cannot make the namespaces")
		       : 0;
}

static pid_t start(struct init *init, struct why *why)
{
	struct outcome *outcome = init->outcome;
	pid_t pid;
	size_t i;

	if (outer_check(why) < 0)
		return layer_failed(outcome->layers, LAYER_USERNS, why);
	for (i = 0; i < NAMESPACES; i++)
		init->namespaces |= namespaces[i].flag;
	for (;;) {
		for (i = 0; i < NAMESPACES; i++)
			if (init->namespaces & namespaces[i].flag)
				layer_set(outcome->layers, namespaces[i].layer,
					  LAYER_ON, "");
		pid = outside_clone(init, init->namespaces);
		if (pid >= 0)
			return pid;
		if (outcome->layers[LAYER_CGROUP].failed)
			return -why->errnum;
		if (find_missing(init->sandbox, outcome, &init->namespaces,
				 errno, why) < 0)
			return -why->errnum;
	}
}

static void run(struct sandbox *sandbox, struct outcome *outcome)
{
	static const struct outside outside = { &init_namespaces, start };

	sandbox->driver = driver_namespaces.name;
	if (sandbox->net == NET_HOST)
		layer_set(outcome->layers, LAYER_NETNS, LAYER_OFF,
			  "the network is the host's");
	outside_run(&outside, sandbox, outcome);
}

static const struct driver_gap gaps[] = { { NULL, NULL } };

const struct driver driver_namespaces = {
	.name = "namespaces",
	.waivable = LAYER_BIT(LAYER_IPCNS) | LAYER_BIT(LAYER_NETNS) |
		    LAYER_BIT(LAYER_PROC) | LAYER_BIT(LAYER_LANDLOCK) |
		    LAYER_BIT(LAYER_LANDLOCK_REFER) |
		    LAYER_BIT(LAYER_LANDLOCK_TRUNCATE) |
		    LAYER_BIT(LAYER_LANDLOCK_TCP) |
		    LAYER_BIT(LAYER_LANDLOCK_IOCTL) |
		    LAYER_BIT(LAYER_LANDLOCK_SCOPE) | LAYER_BIT(LAYER_SECCOMP) |
		    LAYER_BIT(LAYER_SOCKETS) | LAYER_BIT(LAYER_CGROUP) |
		    LAYER_BIT(LAYER_KEYRING),
	.can = DRIVER_MOVE | DRIVER_TMPFS | DRIVER_SCRATCH | DRIVER_COW,
	.gaps = gaps,
	.works = works,
	.run = run,
};
