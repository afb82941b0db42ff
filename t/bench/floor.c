/* SPDX-License-Identifier: ISC */
/*
 * floor - the least that a sandbox like chock's can cost to start
 *
 *	floor COMMAND [WORD...]
 *
 * Makes the calls that chock-spawn makes for a small policy, and no more: the
 * same namespaces in one clone(2), the ids, lo, a tree of read-only binds with
 * a /dev and a /proc of its own, Landlock, an init, limits, no capability, a
 * filter.  It does one after the other, where chock-spawn makes the network
 * beside the rest.  It reads no policy, pins no path, masks nothing in /proc,
 * hides nothing, forwards no signal and reports nothing: what chock-spawn takes
 * beyond this is what those things cost.  It is no sandbox.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/report.h"

#define STACK_ROOM ((size_t)64 << 10)
#define FILTER_RULES 60
#define LANDLOCK_RULES 20
#define BIND_FLAGS ((unsigned long)MS_NOSUID | MS_NODEV | MS_RDONLY)

/* Of linux/landlock.h in its first version: all rights, and reading. */
#define ALL_RIGHTS 0x1fffU
#define READ_RIGHTS 0xdU /* execute, read files, read directories */

extern char **environ;

static const char *const shown[] = { "usr", "etc",     "opt",
				     "srv", "var/lib", "var/cache" };
static const char *const links[] = { "bin", "sbin", "lib", "lib64" };
static const char *const nodes[] = { "dev/null",   "dev/zero",    "dev/full",
				     "dev/random", "dev/urandom", "dev/tty" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static char init_stack[STACK_ROOM] __attribute__((aligned(16)));
static char command_stack[STACK_ROOM] __attribute__((aligned(16)));
static unsigned int own_uid, own_gid;
static int ruleset_fd = -1;

/* What must not fail, for then less would be measured. */
static void must(long result, const char *what)
{
	if (result < 0)
		die_errno(EXIT_SETUP, "cannot %s", what);
}

static void put(const char *path, const char *text)
{
	autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);

	must(write(fd, text, strlen(text)), path);
}

static void map_ids(void)
{
	char uid[64], gid[64];

	(void)snprintf(uid, sizeof(uid), "%u %u 1", own_uid, own_uid);
	(void)snprintf(gid, sizeof(gid), "%u %u 1", own_gid, own_gid);
	put("/proc/self/uid_map", uid);
	put("/proc/self/setgroups", "deny");
	put("/proc/self/gid_map", gid);
}

static void raise_lo(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	autoclose int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	must(ioctl(fd, SIOCSIFFLAGS, &lo), "bring lo up");
}

/* The working directory is the new root, and "/" still the host's. */
static void bind_one(const char *name)
{
	char host[64];

	(void)snprintf(host, sizeof(host), "/%s", name);
	if (access(host, F_OK) < 0)
		return;
	must(mkdir(name, 0755), name);
	must(mount(host, name, NULL, MS_BIND | MS_REC, NULL), name);
	must(mount(NULL, name, NULL, MS_BIND | MS_REMOUNT | BIND_FLAGS, NULL),
	     name);
}

static void make_dev(void)
{
	char host[64];
	size_t i;

	must(mkdir("dev", 0755) + mkdir("dev/pts", 0755) +
		     mkdir("dev/shm", 01777),
	     "make /dev");
	for (i = 0; i < COUNT(nodes); i++) {
		(void)snprintf(host, sizeof(host), "/%s", nodes[i]);
		must(mknod(nodes[i], S_IFREG | 0600, 0), nodes[i]);
		must(mount(host, nodes[i], NULL, MS_BIND, NULL), nodes[i]);
	}
	must(mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		   "newinstance,ptmxmode=0666,mode=0620"),
	     "make /dev/pts");
}

static void make_tree(void)
{
	char target[64];
	size_t i;

	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "make private");
	must(mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV,
		   "mode=0755,size=256m"),
	     "make a root");
	must(chdir("/tmp"), "enter it");
	must(mkdir("var", 0755) + mkdir("run", 0755) + mkdir("tmp", 01777) +
		     mkdir("proc", 0755),
	     "make directories");
	for (i = 0; i < COUNT(shown); i++)
		bind_one(shown[i]);
	for (i = 0; i < COUNT(links); i++) {
		(void)snprintf(target, sizeof(target), "usr/%s", links[i]);
		must(symlink(target, links[i]), links[i]);
	}
	make_dev();
	must(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		   NULL),
	     "make /proc");
	must(mount("tmp", "tmp", NULL, MS_BIND, NULL), "make /tmp");
	must(mount("run", "run", NULL, MS_BIND, NULL), "make /run");
	must(syscall(SYS_pivot_root, ".", "."), "change the root");
	must(umount2(".", MNT_DETACH), "let go of the old root");
	must(chdir("/"), "enter the root");
}

static void make_ruleset(void)
{
	uint64_t handled = ALL_RIGHTS;
	struct {
		uint64_t rights;
		int32_t fd;
	} __attribute__((packed)) rule = { READ_RIGHTS, -1 };
	size_t i;

	ruleset_fd = (int)syscall(SYS_landlock_create_ruleset, &handled,
				  sizeof(handled), 0);
	must(ruleset_fd, "make a ruleset");
	for (i = 0; i < LANDLOCK_RULES; i++) {
		autoclose int fd =
			open(i % 2 ? "/usr" : "/", O_PATH | O_CLOEXEC);

		rule.fd = fd;
		must(syscall(SYS_landlock_add_rule, ruleset_fd, 1, &rule, 0),
		     "add a rule");
	}
}

/* Numbers that no program here calls: the last ones of each table. */
static void load_filter(void)
{
	static struct sock_filter code[FILTER_RULES + 3];
	struct sock_fprog program = { COUNT(code), code };
	size_t i;

	code[0] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < FILTER_RULES; i++)
		code[i + 1] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(400 + i),
			(uint8_t)(FILTER_RULES - i), 0);
	code[i + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						   SECCOMP_RET_ALLOW);
	code[i + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						   SECCOMP_RET_ERRNO | EPERM);
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
	     "load a filter");
}

static int run_command(void *arg)
{
	static const struct rlimit files = { 1024, 1024 };
	char *const *argv = arg;

	must(setsid(), "start a session");
	must(syscall(SYS_landlock_restrict_self, ruleset_fd, 0), "be held");
	must(setrlimit(RLIMIT_NOFILE, &files), "limit files");
	must((long)syscall(SYS_close_range, 3U, ~0U, 0), "close");
	load_filter();
	(void)execve(argv[0], argv, environ);
	die_errno(EXIT_NOT_EXEC, "cannot run '%s'", argv[0]);
}

static int init_main(void *arg)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2] = { { 0 } };
	int status = 0;
	pid_t pid;

	must(prctl(PR_SET_PDEATHSIG, SIGKILL), "ask to be ended");
	map_ids();
	raise_lo();
	make_tree();
	make_ruleset();
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "give up privileges");
	must(syscall(SYS_capset, &header, none), "give up capabilities");
	pid = clone(run_command, command_stack + STACK_ROOM,
		    CLONE_VM | CLONE_VFORK | SIGCHLD, arg);
	must(pid, "start a process");
	must(waitpid(pid, &status, 0), "wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SETUP;
}

int main(int argc, char **argv)
{
	int status = 0;
	pid_t pid;

	report_name("floor");
	if (argc < 2)
		die(EXIT_MISUSE, "usage: floor COMMAND [WORD...]");
	own_uid = geteuid();
	own_gid = getegid();
	pid = clone(init_main, init_stack + STACK_ROOM,
		    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS |
			    CLONE_NEWNET | SIGCHLD,
		    argv + 1);
	must(pid, "make namespaces");
	must(waitpid(pid, &status, 0), "wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SETUP;
}
