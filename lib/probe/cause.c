/* SPDX-License-Identifier: ISC */
#include "probe/cause.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "probe/probe.h"
#include "probe/trial.h"

#define SETTING_MAX 64
#define STATUS_MAX 8192
#define NO_SETTING UINT64_MAX
#define APPARMOR_USERNS "kernel.apparmor_restrict_unprivileged_userns"
#define APPARMOR_PATH "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"

static void say(char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(char *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, PROBE_TEXT_MAX, fmt, args);
	va_end(args);
}

/* The number that @path holds, NO_SETTING if the kernel has no such file. */
static uint64_t setting(const char *path)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	uint64_t value;

	if (file_read_path(&text, AT_FDCWD, path, SETTING_MAX, &why) < 0)
		return NO_SETTING;
	if (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	return num_read(&value, buf_span(&text), UINT64_MAX) < 0 ? NO_SETTING
								 : value;
}

/* Whether somebody filters our own calls already: a container's engine. */
static bool filtered(void)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	return !file_read_path(&text, AT_FDCWD, "/proc/self/status", STATUS_MAX,
			       &why) &&
	       strstr(buf_str(&text), "\nSeccomp:\t2");
}

/* Of a process that is somebody else's the root cannot be asked for. */
static void blame_chroot(struct probe_row *row)
{
	struct stat ours, first;

	if (stat("/", &ours) < 0 || stat("/proc/1/root", &first) < 0)
		say(row->cause,
		    "the kernel says EPERM, as it does in a chroot, and "
		    "nothing here says more");
	else if (ours.st_ino != first.st_ino || ours.st_dev != first.st_dev)
		say(row->cause, "this shell is in a chroot, in which no user "
				"namespace can be made");
	else
		return;
	say(row->mend, "start it outside of the chroot");
}

static void blame_filter(struct probe_row *row)
{
	say(row->cause,
	    "a seccomp filter that holds this shell already, as a container's "
	    "does, may have answered %s",
	    strerrorname_np(row->errnum));
	say(row->mend, "start the container with --security-opt "
		       "seccomp=unconfined, or a profile that allows it");
}

static void blame_apparmor(struct probe_row *row)
{
	say(row->cause,
	    "AppArmor withholds what a user namespace gives: " APPARMOR_USERNS
	    " is 1");
	say(row->mend,
	    "as root: an AppArmor profile with 'userns,' for chock-spawn, or "
	    "sysctl -w " APPARMOR_USERNS "=0");
}

/* ENOSPC: one of the limits on namespaces in /proc/sys/user is reached. */
static void blame_count(struct probe_row *row, const char *kind)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/sys/user/max_%s_namespaces",
		       kind);
	if (setting(path) == 0)
		say(row->cause, "user.max_%s_namespaces is 0", kind);
	else
		say(row->cause,
		    "user.max_%s_namespaces is used up, here or in a user "
		    "namespace around this one",
		    kind);
	say(row->mend, "as root: sysctl -w user.max_%s_namespaces=15000", kind);
}

static void blame_user(struct probe_row *row)
{
	if (row->errnum == ENOSPC || row->errnum == EUSERS) {
		blame_count(row, "user");
	} else if (row->errnum == EINVAL || row->errnum == ENOSYS) {
		say(row->cause, "the kernel was built without CONFIG_USER_NS");
		say(row->mend, "a kernel that has it");
	} else if (setting("/proc/sys/kernel/unprivileged_userns_clone") == 0 &&
		   geteuid() != 0) {
		say(row->cause, "kernel.unprivileged_userns_clone is 0");
		say(row->mend, "as root: sysctl -w "
			       "kernel.unprivileged_userns_clone=1");
	} else if (setting(APPARMOR_PATH) == 1 && geteuid() != 0) {
		blame_apparmor(row);
	} else if (filtered()) {
		blame_filter(row);
	} else if (row->errnum == EPERM) {
		blame_chroot(row);
	}
}

static void blame_map(struct probe_row *row)
{
	if (setting(APPARMOR_PATH) == 1 && geteuid() != 0)
		blame_apparmor(row);
	else
		say(row->cause,
		    "a user namespace can be made, and is worth nothing: its "
		    "ids cannot be mapped (%s)",
		    strerrorname_np(row->errnum));
}

static void blame_proc(struct probe_row *row)
{
	say(row->cause, "/proc is covered in part here, as in a container, "
			"and then no fresh one can be mounted");
	say(row->mend, "start the container with --security-opt "
		       "systempaths=unconfined, or give chock-spawn "
		       "--allow-degraded proc");
}

static void blame_landlock(struct probe_row *row,
			   const struct landlock_part *part, int abi)
{
	if (!abi && part->layer != LAYER_LANDLOCK) {
		say(row->cause, "there is no Landlock, see its own row");
	} else if (abi < part->abi && abi) {
		say(row->cause,
		    "the kernel's Landlock is ABI %d, and it takes "
		    "ABI %d",
		    abi, part->abi);
		say(row->mend, "Linux %s or newer", part->release);
	} else if (row->errnum == EOPNOTSUPP) {
		say(row->cause, "the kernel has Landlock and did not start it");
		say(row->mend, "put landlock in front of the list that lsm= "
			       "names on the kernel's command line, or "
			       "CONFIG_LSM");
	} else if (row->errnum == ENOSYS && filtered()) {
		blame_filter(row);
	} else if (row->errnum == ENOSYS) {
		say(row->cause, "the kernel was built without Landlock");
		say(row->mend, "Linux 5.13 or newer with "
			       "CONFIG_SECURITY_LANDLOCK");
	}
}

static void blame_namespace(struct probe_row *row, const char *kind,
			    enum trial_stage stage)
{
	if (stage == TRIAL_MAP)
		blame_map(row);
	else if (stage == TRIAL_MAKE && row->errnum == ENOSPC &&
		 setting("/proc/sys/user/max_user_namespaces") != 0)
		blame_count(row, kind);
	else if (stage == TRIAL_MAKE)
		blame_user(row);
	else if (row->errnum == ENOSYS && !filtered())
		say(row->mend, "Linux 5.12 or newer");
	else if (setting(APPARMOR_PATH) == 1 && geteuid() != 0)
		blame_apparmor(row);
	else if (filtered())
		blame_filter(row);
}

/* A run goes on without one; what it counts by itself is in its report. */
static void blame_cgroup(struct probe_row *row)
{
	if (row->errnum == ENOSYS && filtered())
		blame_filter(row);
	else if (access("/sys/fs/cgroup/cgroup.controllers", F_OK) < 0)
		say(row->mend, "cgroup v2 at /sys/fs/cgroup, as systemd mounts "
			       "it by systemd.unified_cgroup_hierarchy=1 on "
			       "the kernel's command line");
	else
		say(row->mend, "start the shell by: systemd-run --user --scope "
			       "-p Delegate=yes $SHELL");
}

/* The layers of which one errno has one cause. */
static void blame_rest(struct probe_row *row, enum layer layer,
		       enum trial_stage stage)
{
	static const struct {
		enum layer layer;
		enum trial_stage stage;
		int errnum;
		const char *cause, *mend;
	} causes[] = {
		{ LAYER_MEMFD, TRIAL_USE, ENOENT,
		  "the kernel has no vm.memfd_noexec", "Linux 6.3 or newer" },
		{ LAYER_MEMFD, TRIAL_USE, EACCES,
		  "only root may set vm.memfd_noexec, also of a pid namespace "
		  "of its own",
		  "" },
		{ LAYER_KEYRING, TRIAL_MAKE, ENOSYS,
		  "there are no keyrings here, and nothing to keep from using "
		  "them",
		  "" },
		{ LAYER_SECCOMP, TRIAL_MAKE, EINVAL,
		  "the kernel filters no calls",
		  "a kernel with CONFIG_SECCOMP_FILTER" },
		{ LAYER_SOCKETS, TRIAL_MAKE, EINVAL,
		  "the kernel filters no calls",
		  "a kernel with CONFIG_SECCOMP_FILTER" },
	};
	size_t i;

	for (i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		if (layer != causes[i].layer ||
		    row->errnum != causes[i].errnum || stage != causes[i].stage)
			continue;
		say(row->cause, "%s", causes[i].cause);
		say(row->mend, "%s", causes[i].mend);
	}
}

/* The files in /proc/sys/user are called after these. */
static const char *const kinds[LAYER_COUNT] = {
	[LAYER_USERNS] = "user", [LAYER_PIDNS] = "pid", [LAYER_IPCNS] = "ipc",
	[LAYER_MOUNTNS] = "mnt", [LAYER_NETNS] = "net", [LAYER_PROC] = "pid",
	[LAYER_MEMFD] = "pid",
};

void cause_find(struct probe_row *row, enum layer layer,
		const struct trial *trial)
{
	const struct landlock_part *part = landlock_part(layer);

	row->errnum = trial->errnum;
	if (trial->stage == TRIAL_HOLDS)
		say(row->cause, "it was set up, and does not hold");
	else if (*trial->text)
		say(row->cause, "%s", trial->text);
	else
		say(row->cause, "the kernel says %s",
		    strerrorname_np(row->errnum) ? strerrorname_np(row->errnum)
						 : "an unknown errno");
	if (part)
		blame_landlock(row, part, trial->abi);
	if (layer == LAYER_PROC && row->errnum == EPERM &&
	    span_starts(span_of(trial->text), "layer 'proc'"))
		blame_proc(row);
	else if (kinds[layer])
		blame_namespace(row, kinds[layer], trial->stage);
	if (layer == LAYER_CGROUP)
		blame_cgroup(row);
	blame_rest(row, layer, trial->stage);
}
