/* SPDX-License-Identifier: ISC */
/*
 * init - the first program of a guest of t/kernels/run
 *
 * It is alone in the initramfs, with the modules that lead to the two disks.
 * It makes the system's disk the root, shows the tree's disk below /run, and
 * becomes the shell script that the first line of /config names.  What fails
 * is said on the console, and ends the guest.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/auto.h"

#define CONFIG "/run/kernels" /* where /config is in the guest */
#define TREE "/run/tree"
#define SYSTEM_DISK "/dev/vda"
#define TREE_DISK "/root/dev/vdb" /* once /dev is there */

static void fail(const char *what, const char *object)
{
	printf("kernels: cannot %s '%s': %s\n", what, object, strerror(errno));
	(void)fflush(stdout);
	(void)reboot(RB_POWER_OFF);
	_exit(111);
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		fail("make directory", path);
}

static void put(const char *source, const char *target, const char *type,
		unsigned long flags, const char *data)
{
	make_dir(target);
	if (mount(source, target, type, flags, data) < 0)
		fail("mount", target);
}

static void move(const char *from, const char *to)
{
	if (mount(from, to, NULL, MS_MOVE, NULL) < 0)
		fail("move", to);
}

static void load(const char *name)
{
	char path[128];
	autoclose int fd = -1;

	(void)snprintf(path, sizeof(path), "/modules/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 ||
	    (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST))
		fail("load", path);
}

/* The host names a module a line, each after those that it needs. */
static void load_all(void)
{
	FILE *order = fopen("/modules/order", "re");
	char name[96];

	if (!order)
		fail("open", "/modules/order");
	while (fgets(name, sizeof(name), order)) {
		name[strcspn(name, "\n")] = '\0';
		load(name);
	}
	(void)fclose(order);
}

static void make_root(void)
{
	put(SYSTEM_DISK, "/root", "ext4", 0, NULL);
	move("/dev", "/root/dev");
	move("/proc", "/root/proc");
	move("/sys", "/root/sys");
	put("run", "/root/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755");
	put(TREE_DISK, "/root" TREE, "ext4", 0, NULL);
}

/* Copies /config and gives back its first line, the script to become. */
static const char *give_config(void)
{
	static char text[16384];
	autoclose int from_fd = open("/config", O_RDONLY | O_CLOEXEC);
	autoclose int to_fd =
		open("/root" CONFIG, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t len = read(from_fd, text, sizeof(text) - 1);
	char *end = len > 0 ? memchr(text, '\n', (size_t)len) : NULL;

	if (!end || write(to_fd, text, (size_t)len) != len)
		fail("copy", "/config");
	*end = '\0';
	return text + strlen("# ");
}

int main(void)
{
	const char *script;

	put("dev", "/dev", "devtmpfs", MS_NOSUID, "mode=755");
	put("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	put("sys", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	load_all();
	make_root();
	script = give_config();
	if (chdir("/root") < 0)
		fail("enter", "/root");
	move(".", "/");
	if (chroot(".") < 0 || chdir("/") < 0)
		fail("enter", "/");
	if (mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) < 0)
		fail("share", "/");
	(void)execl("/bin/bash", "bash", script, CONFIG, (char *)NULL);
	fail("become", script);
	return 1;
}
