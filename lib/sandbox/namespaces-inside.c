/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "sandbox/namespaces.h"
#include "sandbox/netns.h"
#include "spec/outcome.h"
#include "spec/parts.h"
#include "spec/sandbox.h"
#include "spec/standard.h"
#include "tree/plan.h"
#include "tree/tree.h"

/*
 * What process 1 does in its new namespaces: it becomes somebody in the first
 * of them, has one of the network made, pins what is granted, builds the tree
 * and enters both.
 */

static int write_map(const char *path, const char *text, struct why *why)
{
	autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return why_sys(why, errno, "cannot write '%s'", path);
	return 0;
}

/*
 * Each id is mapped to itself.  The hint is for systems on which a user
 * namespace can be made and is then worth nothing.
 */
int namespaces_map(uid_t uid, gid_t gid, struct why *why)
{
	static const char hint[] =
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
	char uids[64], gids[64];
	int r;

	(void)snprintf(uids, sizeof(uids), "%u %u 1", uid, uid);
	(void)snprintf(gids, sizeof(gids), "%u %u 1", gid, gid);
	r = write_map("/proc/self/uid_map", uids, why);
	if (!r)
		r = write_map("/proc/self/setgroups", "deny", why);
	if (!r)
		r = write_map("/proc/self/gid_map", gids, why);
	if (r < 0 && !access(hint, F_OK))
		(void)why_behind(why,
				 " (AppArmor may withhold user namespaces: see "
				 "kernel.apparmor_restrict_unprivileged_"
				 "userns)");
	return r;
}

/* What could be made and not be used is no reason to go without it. */
static int enter_netns(const struct init *init, struct netns *netns,
		       struct why *why)
{
	struct layer_row *rows = init->outcome->layers;
	int r = netns_enter(netns, why);

	if (!r)
		return 0;
	if (netns->fd >= 0)
		return layer_failed(rows, LAYER_NETNS, why);
	return layer_lost(rows, LAYER_NETNS, init->sandbox->waived, why);
}

/* TCP is Landlock's to hold only where a namespace should and does not. */
static int open_landlock(const struct init *init, struct landlock *landlock,
			 struct why *why)
{
	struct layer_row *rows = init->outcome->layers;
	bool hold_net = rows[LAYER_NETNS].state == LAYER_WAIVED;
	int r = parts_note(rows, init->sandbox, landlock_abi(), why);

	if (r < 0 || rows[LAYER_LANDLOCK].state != LAYER_ON)
		return r;
	r = landlock_open(landlock, hold_net, why);
	return r < 0 ? layer_failed(rows, LAYER_LANDLOCK, why) : 0;
}

static int enter_workdir(const struct init *init, struct why *why)
{
	const char *dir = init->sandbox->workdir;

	if (dir && !chdir(dir))
		return 0;
	if (dir && init->sandbox->workdir_named)
		return why_sys(why, errno, "cannot enter '%s'", dir);
	init->outcome->at_home = dir || init->sandbox->workdir_lost;
	if (chdir(SANDBOX_HOME) < 0)
		return why_sys(why, errno, "cannot enter '%s'", SANDBOX_HOME);
	return 0;
}

/* Who has no right to a call, or no such call, does not have the layer. */
static int name_layer(struct layer_row *rows, int r, struct why *why)
{
	unsigned int i;

	if (r != -EPERM && r != -ENOSYS)
		return r;
	for (i = 0; i < LAYER_COUNT; i++)
		if (rows[i].failed)
			return r;
	return layer_failed(rows, LAYER_MOUNTNS, why);
}

static int build_tree(struct init *init, struct landlock *landlock,
		      struct why *why)
{
	autoplan struct plan plan = { 0 };
	autotree struct tree tree = TREE_CLOSED;
	int r;

	tree.sandbox = init->sandbox;
	tree.stay = &init->stay;
	tree.landlock = landlock->fd >= 0 ? landlock : NULL;
	tree.rows = init->outcome->layers;
	r = plan_make(&plan, init->sandbox, why);
	if (!r)
		r = name_layer(tree.rows, tree_build(&tree, &plan, why), why);
	if (!r && init->pty.control_fd >= 0)
		r = pty_open(&init->pty, tree.root_fd, "dev/pts/ptmx", why);
	if (!r && tree.landlock)
		r = standard_allow(landlock, why);
	if (!r)
		r = name_layer(tree.rows, tree_enter(&tree, why), why);
	if (!r)
		r = enter_workdir(init, why);
	return r;
}

/*
 * The network namespace is made meanwhile; where it is waived, Landlock may
 * have to hold what it would, and has to know at once.  Where it is not, it
 * counts from the start as what holds what Landlock lacks, for no command runs
 * without it.
 */
static int build_beside(struct init *init, struct landlock *landlock,
			struct why *why)
{
	bool early = init->sandbox->waived & LAYER_BIT(LAYER_NETNS);
	autonetns struct netns netns = NETNS_NONE;
	int r = netns_begin(&netns, why);

	if (r < 0)
		return layer_failed(init->outcome->layers, LAYER_NETNS, why);
	layer_set(init->outcome->layers, LAYER_NETNS, LAYER_ON, "");
	if (early)
		r = enter_netns(init, &netns, why);
	if (!r)
		r = open_landlock(init, landlock, why);
	if (!r)
		r = build_tree(init, landlock, why);
	if (!r && !early)
		r = enter_netns(init, &netns, why);
	return r;
}

static int build(struct init *init, struct landlock *landlock, struct why *why)
{
	int r = namespaces_map(init->uid, init->gid, why);

	if (r < 0)
		return layer_failed(init->outcome->layers, LAYER_USERNS, why);
	if (init->sandbox->net == NET_NONE)
		return build_beside(init, landlock, why);
	r = open_landlock(init, landlock, why);
	return r < 0 ? r : build_tree(init, landlock, why);
}

/* With process 1 the kernel ends all of its namespace. */
static void end(const struct init *init)
{
	(void)init;
}

const struct init_kind init_namespaces = {
	.build = build,
	.end = end,
	.counts = true,
	.in_memory = true,
	.end_signal = SIGKILL,
};
