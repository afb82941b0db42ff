/* SPDX-License-Identifier: ISC */
#include "probe/layers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "confine/seccomp.h"
#include "probe/enter.h"
#include "probe/layers-cgroup.h"
#include "probe/layers-tree.h"
#include "sandbox/netns.h"
#include "sandbox/rid.h"
#include "spec/limits.h"

#define MEMFD_EXEC 0x10U /* MFD_EXEC, Linux 6.3 */
#define KEYCTL_JOIN 1    /* KEYCTL_JOIN_SESSION_KEYRING of keyctl(2) */

/* What root may in a user namespace, a command in it must not. */
static int try_userns(struct trial *trial)
{
	struct why why = { 0 };
	int r = trial_enter(0, trial);

	if (!r)
		r = trial_failed(trial, rid_of_privileges(&why), &why);
	if (r)
		return r;
	trial->stage = TRIAL_HOLDS;
	return unshare(CLONE_NEWNS) < 0 ? 0 : -EINVAL;
}

static int try_pidns(struct trial *trial)
{
	int r = trial_enter(CLONE_NEWPID, trial);

	if (r)
		return r;
	trial->stage = TRIAL_HOLDS;
	return getpid() == 1 ? 0 : -EINVAL;
}

static int try_ipcns(struct trial *trial)
{
	return trial_enter(CLONE_NEWIPC, trial);
}

static int try_netns(struct trial *trial)
{
	autonetns struct netns netns = NETNS_NONE;
	struct why why = { 0 };
	int r = trial_enter(0, trial);

	if (r)
		return r;
	trial->stage = TRIAL_MAKE;
	r = netns_begin(&netns, &why);
	if (!r)
		r = netns_enter(&netns, &why);
	if (netns.fd >= 0)
		trial->stage = TRIAL_USE;
	return trial_failed(trial, r, &why);
}

/* Holds the caller by Landlock; @path can be opened to write. */
static int hold(struct trial *trial, bool net, const char *path)
{
	autolandlock struct landlock ruleset = LANDLOCK_CLOSED;
	struct why why = { 0 };
	autoclose int fd = -1;
	int r;

	trial->stage = TRIAL_MAKE;
	trial->abi = landlock_abi();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	r = landlock_open(&ruleset, net, &why);
	if (r < 0)
		return trial_failed(trial, r, &why);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = landlock_allow(&ruleset, fd, LANDLOCK_READ | LANDLOCK_WRITE, &why);
	if (!r)
		r = landlock_enforce(&ruleset, &why);
	if (!r)
		trial->stage = TRIAL_HOLDS;
	return trial_failed(trial, r, &why);
}

static int try_landlock(struct trial *trial)
{
	int r = hold(trial, false, "/dev/null");
	autoclose int fd = -1;

	if (r)
		return r;
	fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 && errno == EACCES ? 0 : -EINVAL;
}

/* These two can only be tried on files, and nothing is written here: what
 * the kernel says that it knows has to do. */
static int try_refer(struct trial *trial)
{
	return hold(trial, false, "/dev/null");
}

static int try_tcp(struct trial *trial)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	int r = hold(trial, true, "/dev/null");
	autoclose int fd = -1;

	if (r)
		return r;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return bind(fd, (struct sockaddr *)&any, sizeof(any)) < 0 &&
			       errno == EACCES
		       ? 0
		       : -EINVAL;
}

static int try_ioctl(struct trial *trial)
{
	int r = hold(trial, false, "/dev/null");
	autoclose int fd = -1;
	struct winsize size;

	if (r)
		return r;
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return ioctl(fd, TIOCGWINSZ, &size) < 0 && errno == EACCES ? 0
								   : -EINVAL;
}

static int try_scope(struct trial *trial)
{
	int r = hold(trial, false, "/dev/null");

	if (r)
		return r;
	return kill(getppid(), 0) < 0 && errno == EPERM ? 0 : -EINVAL;
}

/* A run asks first, for it loads its filter when it can say nothing more. */
static int filter(void)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;
	struct why why = { 0 };

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return seccomp_load(SECCOMP_SANDBOX, &why);
}

/* In a child of the trial's: it is ended by the call, if that is held. */
static int try_seccomp(struct trial *trial)
{
	int r, status;
	pid_t pid = fork();

	trial->stage = TRIAL_MAKE;
	if (!pid) {
		r = filter();
		if (r < 0)
			_exit(-r & 0x7f);
		(void)unshare(0);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return 0;
	trial->stage = WIFEXITED(status) && !WEXITSTATUS(status) ? TRIAL_HOLDS
								 : TRIAL_MAKE;
	return WIFEXITED(status) && WEXITSTATUS(status) ? -WEXITSTATUS(status)
							: -EINVAL;
}

static int try_sockets(struct trial *trial)
{
	autoclose int unix_fd = -1;
	int r;

	trial->stage = TRIAL_MAKE;
	r = filter();
	if (r < 0)
		return r;
	trial->stage = TRIAL_HOLDS;
	unix_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (unix_fd < 0)
		return -errno;
	return socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0) < 0 &&
			       errno == EAFNOSUPPORT
		       ? 0
		       : -EINVAL;
}

static int try_rlimits(struct trial *trial)
{
	struct limits limits;
	struct why why = { 0 };
	int r;

	trial->stage = TRIAL_MAKE;
	limits_init(&limits);
	r = limits_set(&limits, &why);
	if (r < 0)
		return trial_failed(trial, r, &why);
	trial->stage = TRIAL_HOLDS;
	return dup2(STDIN_FILENO, (int)limits.value[LIMIT_FILES]) < 0 ? 0
								      : -EINVAL;
}

static int try_keyring(struct trial *trial)
{
	trial->stage = TRIAL_MAKE;
	return syscall(SYS_keyctl, KEYCTL_JOIN, NULL) < 0 ? -errno : 0;
}

/* Belongs to the pid namespace: from then on a memfd is data only. */
static int try_memfd(struct trial *trial)
{
	int r = trial_enter(CLONE_NEWPID, trial);
	autoclose int fd = -1;

	if (!r)
		r = trial_put("/proc/sys/vm/memfd_noexec", "2");
	if (r)
		return r;
	trial->stage = TRIAL_HOLDS;
	fd = memfd_create("program", MFD_CLOEXEC | MEMFD_EXEC);
	return fd < 0 && errno == EACCES ? 0 : -EINVAL;
}

const struct layer_trial layer_trials[LAYER_COUNT] = {
	[LAYER_USERNS] = { "a user namespace, in which a program has no privileges",
			   try_userns },
	[LAYER_PIDNS] = { "no process outside can be seen or signalled",
			  try_pidns },
	[LAYER_IPCNS] = { "no shared memory or queue outside can be reached",
			  try_ipcns },
	[LAYER_MOUNTNS] = { "only what a policy grants is there",
			    trial_mountns },
	[LAYER_NETNS] = { "no network but a loopback of its own", try_netns },
	[LAYER_PROC] = { "a /proc that shows the sandbox's own processes",
			 trial_proc },
	[LAYER_LANDLOCK] = { "files are held a second time, by the kernel's Landlock",
			     try_landlock },
	[LAYER_LANDLOCK_REFER] = { "files can be renamed between granted directories",
				   try_refer },
	[LAYER_LANDLOCK_TRUNCATE] = { "what can only be read cannot be emptied",
				      try_refer },
	[LAYER_LANDLOCK_TCP] = { "TCP is held by port where no namespace holds it",
				 try_tcp },
	[LAYER_LANDLOCK_IOCTL] = { "devices are driven only where that is granted",
				   try_ioctl },
	[LAYER_LANDLOCK_SCOPE] = { "signals and abstract sockets do not lead outside",
				   try_scope },
	[LAYER_SECCOMP] = { "system calls that no sandbox needs end the program",
			    try_seccomp },
	[LAYER_SOCKETS] = { "only unix, TCP, UDP and route sockets can be made",
			    try_sockets },
	[LAYER_RLIMITS] = { "files, processes, CPU time and cores are limited",
			    try_rlimits },
	[LAYER_CGROUP] = { "memory and processes are limited all together",
			   trial_cgroup },
	[LAYER_KEYRING] = { "keys of the session outside cannot be used",
			    try_keyring },
	[LAYER_MEMFD] = { "no program can be executed that is only in memory",
			  try_memfd },
};
