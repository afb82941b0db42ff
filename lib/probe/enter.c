/* SPDX-License-Identifier: ISC */
#include "probe/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "probe/trial.h"

int trial_put(const char *path, const char *text)
{
	autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -errno;
	return 0;
}

/*
 * By clone(2) like a run, for what answers that one differently from
 * unshare(2) is to be met here too.
 */
int trial_enter(int flags, struct trial *trial)
{
	char uids[64], gids[64];
	int status, r;
	pid_t pid;

	(void)snprintf(uids, sizeof(uids), "%u %u 1", geteuid(), geteuid());
	(void)snprintf(gids, sizeof(gids), "%u %u 1", getegid(), getegid());
	trial->stage = TRIAL_MAKE;
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | flags | SIGCHLD, 0, 0,
			     0, 0);
	if (pid < 0)
		return -errno;
	if (pid) {
		if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
			(void)raise(WTERMSIG(status));
		_exit(0);
	}
	trial->stage = TRIAL_MAP;
	r = trial_put("/proc/self/uid_map", uids);
	if (!r)
		r = trial_put("/proc/self/setgroups", "deny");
	if (!r)
		r = trial_put("/proc/self/gid_map", gids);
	if (!r)
		trial->stage = TRIAL_USE;
	return r;
}
