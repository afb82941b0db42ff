/* SPDX-License-Identifier: ISC */
#include "probe/layers-cgroup.h"

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>

#include "base/why.h"
#include "limit/birth.h"
#include "limit/cgroup.h"
#include "probe/trial.h"
#include "spec/limits.h"

static int live_briefly(void *arg)
{
	(void)arg;
	return 0;
}

static int be_born(const struct cgroup *cgroup, struct trial *trial)
{
	struct why why = { 0 };
	pid_t pid;

	trial->stage = TRIAL_USE;
	pid = birth(0, cgroup->fd, live_briefly, NULL);
	if (pid > 0)
		return waitpid(pid, NULL, 0) == pid ? 0 : -ECHILD;
	(void)cgroup_explain(cgroup, (int)-pid, &why);
	return trial_failed(trial, (int)pid, &why);
}

int trial_cgroup(struct trial *trial)
{
	struct cgroup cgroup = CGROUP_CLOSED;
	struct why why = { 0 };
	struct limits limits;
	int r;

	trial->stage = TRIAL_MAKE;
	limits_init(&limits);
	r = trial_failed(trial, cgroup_make(&cgroup, &limits, &why), &why);
	if (!r)
		r = be_born(&cgroup, trial);
	cgroup_close(&cgroup);
	return r;
}
