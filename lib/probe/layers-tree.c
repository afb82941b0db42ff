/* SPDX-License-Identifier: ISC */
#include "probe/layers-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "confine/layer.h"
#include "probe/enter.h"
#include "probe/trial.h"
#include "spec/limits.h"
#include "spec/sandbox.h"
#include "tree/plan.h"
#include "tree/tree.h"

static struct layer_row rows[LAYER_COUNT];

/* Builds a tree with nothing granted, and goes into it. */
static int build(uint32_t waived, struct why *why)
{
	struct sandbox sandbox = { .report_fd = -1, .waived = waived };
	autoplan struct plan plan = { 0 };
	autotree struct tree tree = TREE_CLOSED;
	int r;

	(void)umask(0);
	limits_init(&sandbox.limits);
	tree.sandbox = &sandbox;
	tree.rows = rows;
	r = plan_make(&plan, &sandbox, why);
	if (!r)
		r = tree_build(&tree, &plan, why);
	if (!r)
		r = tree_enter(&tree, why);
	return r;
}

/* Without a /proc if need be, which is a row of its own. */
int trial_mountns(struct trial *trial)
{
	struct why why = { 0 };
	int r = trial_enter(CLONE_NEWNS, trial);
	autoclose int fd = -1;

	if (!r)
		r = trial_failed(trial, build(LAYER_BIT(LAYER_PROC), &why),
				 &why);
	if (r)
		return r;
	trial->stage = TRIAL_HOLDS;
	if (!access("/etc", F_OK))
		return -EINVAL;
	fd = open("/new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd < 0 && errno == EROFS ? 0 : -EINVAL;
}

int trial_proc(struct trial *trial)
{
	struct why why = { 0 };
	int r = trial_enter(CLONE_NEWPID | CLONE_NEWNS, trial);

	return r ? r : trial_failed(trial, build(0, &why), &why);
}
