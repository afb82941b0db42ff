/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "spec/sandbox.h"
#include "tree/mount.h"
#include "tree/tree.h"

#define ATTR_PROC (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
#define CPU_DIR "sys/devices/system/cpu"

static const char *const devices[] = {
	"dev/null",   "dev/zero",    "dev/full",
	"dev/random", "dev/urandom", "dev/tty",
};

static const char *const device_links[][2] = {
	{ "/proc/self/fd", "dev/fd" },
	{ "/proc/self/fd/0", "dev/stdin" },
	{ "/proc/self/fd/1", "dev/stdout" },
	{ "/proc/self/fd/2", "dev/stderr" },
	{ "pts/ptmx", "dev/ptmx" },
};

/*
 * What procfs tells about the machine rather than about the processes in it:
 * its memory, its devices, its boot and its timers, keys, and the trees with
 * which it is driven.  Of /proc/sys, programs read kernel, vm, net and fs.
 */
static const char *const masked_files[] = {
	"cmdline",  "config.gz",     "interrupts",    "iomem",
	"ioports",  "kallsyms",      "kcore",         "key-users",
	"keys",     "kmsg",          "latency_stats", "modules",
	"mtrr",     "pagetypeinfo",  "sched_debug",   "schedstat",
	"slabinfo", "sysrq-trigger", "timer_list",    "timer_stats",
	"version",  "vmallocinfo",
};

static const char *const masked_dirs[] = {
	"acpi",
	"bus",
	"driver",
	"fs",
	"irq",
	"scsi",
	"sys/abi",
	"sys/crypto",
	"sys/debug",
	"sys/dev",
	"sys/sunrpc",
	"sys/user",
	"sys/fs/binfmt_misc",
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/*
 * Nodes are the host's, for nobody but it can make them.  The working directory
 * is the new root.  Read-only holds the node (its mode, its times) and not the
 * device.
 */
static int add_device(const char *path, struct why *why)
{
	char host[32];
	int r;

	(void)snprintf(host, sizeof(host), "/%s", path);
	if (mknod(path, S_IFREG | 0600, 0) < 0)
		return why_sys(why, errno, "cannot make '%s'", host);
	r = mount_file(
		host, path,
		MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, why);
	if (r == -ENOENT && !unlink(path))
		return 0;
	return r < 0 ? why_within(why, "cannot show '%s'", host) : 0;
}

static int add_dev(struct tree *tree, struct why *why)
{
	size_t i;
	int r = 0;

	if (mkdirat(tree->root_fd, "dev", 0755) < 0 ||
	    mkdirat(tree->root_fd, "dev/pts", 0755) < 0 ||
	    mkdirat(tree->root_fd, "dev/shm", 0755) < 0)
		return why_sys(why, errno, "cannot make '/dev'");
	if (fchdir(tree->root_fd) < 0)
		return why_sys(why, errno, "cannot enter the new root");
	for (i = 0; i < COUNT(devices) && !r; i++)
		r = add_device(devices[i], why);
	for (i = 0; i < COUNT(device_links) && !r; i++)
		if (symlinkat(device_links[i][0], tree->root_fd,
			      device_links[i][1]) < 0)
			r = why_sys(why, errno, "cannot make '/%s'",
				    device_links[i][1]);
	if (!r)
		r = mount_new("devpts", "ptmxmode=0666,mode=0620",
			      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, "dev/pts",
			      why);
	if (!r)
		r = tree_put_scratch(tree, "dev/shm", 01777, why);
	autoclose int fd = r ? r
			     : openat(tree->root_fd, "dev", O_PATH | O_CLOEXEC);

	if (r || fd < 0)
		return r ? r : why_sys(why, errno, "cannot open '/dev'");
	return tree_allow(tree, fd,
			  LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE,
			  why);
}

/*
 * Puts @empty on each of @names that this kernel has.  The working directory
 * is the new procfs, in which nobody but us can move anything yet, so that
 * one call does it: there are more of these than of all other mounts.  From
 * the second on, what is put there is the first, whose path is the shortest.
 */
static int mask(const char *const *names, size_t count, const char *empty,
		struct why *why)
{
	size_t i;
	int r;

	for (i = 0; i < count; i++) {
		r = mount_same(empty, names[i]);
		if (r < 0 && r != -ENOENT)
			return why_sys(why, -r, "cannot mask '/proc/%s'",
				       names[i]);
		if (!r)
			empty = names[i];
	}
	return 0;
}

/* What is put there lies in the store, which is not covered yet. */
#define EMPTY(name) ".." SANDBOX_RUN "/" name

static int mask_all(const struct tree *tree, struct why *why)
{
	int r;

	if (fchdir(tree->proc_fd) < 0)
		return why_sys(why, errno, "cannot enter the new '/proc'");
	r = mask(masked_files, COUNT(masked_files), EMPTY(TREE_EMPTY_FILE),
		 why);
	return r < 0 ? r
		     : mask(masked_dirs, COUNT(masked_dirs),
			    EMPTY(TREE_EMPTY_DIR), why);
}

static int write_sysctl(int proc_fd, const char *path, const char *value)
{
	autoclose int fd = openat(proc_fd, path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		return -errno;
	return 0;
}

/*
 * Both belong to the namespaces that we have just made: no user namespace can
 * come out of ours, and no memfd that can be executed is made in our pid
 * namespace (Linux 6.3).
 */
static int set_sysctls(const struct tree *tree, int proc_fd, struct why *why)
{
	int r = write_sysctl(proc_fd, "sys/user/max_user_namespaces", "0");

	if (r < 0)
		return why_sys(
			why, -r,
			"cannot write '/proc/sys/user/max_user_namespaces'");
	r = write_sysctl(proc_fd, "sys/vm/memfd_noexec", "2");
	if (!r)
		layer_set(tree->rows, LAYER_MEMFD, LAYER_ON, "");
	else
		layer_set(tree->rows, LAYER_MEMFD, LAYER_ABSENT,
			  r == -ENOENT ? "the kernel has no vm.memfd_noexec"
				       : "only root can set vm.memfd_noexec");
	return 0;
}

/*
 * Without a procfs of our own, the host's leads to the same sysctls.  Where
 * that has none either, seccomp still refuses every new user namespace.
 */
static int lose_proc(const struct tree *tree, struct why *why)
{
	uint32_t waived = tree->sandbox->waived;
	autoclose int fd = -1;
	int r = layer_lost(tree->rows, LAYER_PROC, waived, why);

	if (r < 0)
		return r;
	fd = open("/proc", O_PATH | O_CLOEXEC);
	r = set_sysctls(tree, fd, why);
	if (!r)
		return 0;
	if (waived & LAYER_BIT(LAYER_SECCOMP))
		return layer_failed(tree->rows, LAYER_USERNS, why);
	layer_set(tree->rows, LAYER_USERNS, LAYER_ON,
		  "nested ones are refused by seccomp alone");
	layer_set(tree->rows, LAYER_MEMFD, LAYER_ABSENT,
		  "/proc/sys cannot be written");
	return 0;
}

/* The working directory is the new root. */
static int add_proc(struct tree *tree, struct why *why)
{
	int r;

	if (mkdir("proc", 0755) < 0)
		return why_sys(why, errno, "cannot make '/proc'");
	if (mount_new("proc", NULL, ATTR_PROC, "proc", why) < 0)
		return lose_proc(tree, why);
	tree->proc_fd = open("proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (tree->proc_fd < 0)
		return why_sys(why, errno, "cannot open '/proc'");
	if (set_sysctls(tree, tree->proc_fd, why) < 0)
		return layer_failed(tree->rows, LAYER_USERNS, why);
	if (mount_restrict(tree->proc_fd, MOUNT_ATTR_RDONLY, why) < 0)
		return why_within(why, "cannot make '/proc' read-only");
	r = mask_all(tree, why);
	if (!r)
		r = tree_allow(tree, tree->proc_fd, LANDLOCK_READ, why);
	if (!r)
		layer_set(tree->rows, LAYER_PROC, LAYER_ON, "");
	return r;
}

/* Programs count processors there, and look for their caches. */
static int add_cpus(const struct tree *tree, struct why *why)
{
	autoclose int fd = mount_clone(AT_FDCWD, "/" CPU_DIR,
				       MOUNT_ATTR_RDONLY | ATTR_PROC, why);
	int r;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	r = fd < 0 ? fd : tree_dirs(tree, CPU_DIR, why);
	if (!r)
		r = mount_put(fd, tree->root_fd, CPU_DIR, why);
	if (!r)
		r = tree_allow(tree, fd, LANDLOCK_READ, why);
	return r < 0 ? why_within(why, "cannot show '/" CPU_DIR "'") : 0;
}

int tree_kernel(struct tree *tree, struct why *why)
{
	int r = add_dev(tree, why);

	if (!r)
		r = add_proc(tree, why);
	if (!r)
		r = add_cpus(tree, why);
	return r;
}
