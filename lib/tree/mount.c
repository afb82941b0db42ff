/* SPDX-License-Identifier: ISC */
#include "tree/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "tree/mount-old.h"

/*
 * The calls themselves, without libc: musl has no functions for them, and
 * glibc only since 2.36.  Numbers are those of linux/mount.h and fcntl.h.
 */
#define FSOPEN_CLOEXEC_FLAG 1U
#define FSMOUNT_CLOEXEC_FLAG 1U
#define FSCONFIG_FLAG 0U
#define FSCONFIG_STRING 1U
#define FSCONFIG_CREATE 6U
#define OPEN_TREE_CLONE_FLAG 1U
#define OPEN_TREE_CLOEXEC_FLAG ((unsigned int)O_CLOEXEC)
#define OPEN_TREE_RECURSIVE 0x8000U /* AT_RECURSIVE */
#define PUT_FROM_FD 0x4U            /* MOVE_MOUNT_F_EMPTY_PATH */
#define PUT_ON_FD 0x40U             /* MOVE_MOUNT_T_EMPTY_PATH */

/* struct mount_attr, as of its first version (Linux 5.12). */
struct change {
	uint64_t set;
	uint64_t clear;
	uint64_t propagation;
	uint64_t userns_fd;
};

_Static_assert(MOUNT_ATTR_RDONLY == MS_RDONLY &&
		       MOUNT_ATTR_NOSUID == MS_NOSUID &&
		       MOUNT_ATTR_NODEV == MS_NODEV &&
		       MOUNT_ATTR_NOEXEC == MS_NOEXEC,
	       "attributes of old and new calls have the same numbers");

static int configure(int context_fd, unsigned int command, const char *key,
		     const char *value)
{
	return (int)syscall(SYS_fsconfig, context_fd, command, key, value, 0);
}

int mount_make(const char *type, const char *const *options, uint64_t attr,
	       struct why *why)
{
	autoclose int context_fd =
		(int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC_FLAG);
	int tree_fd;

	if (context_fd < 0 && errno == ENOSYS)
		return mount_old_make(type, options, attr, why);
	if (context_fd < 0)
		return why_sys(why, errno, "cannot make a file system '%s'",
			       type);
	for (; options && *options; options += 2)
		if (configure(context_fd,
			      *options[1] ? FSCONFIG_STRING : FSCONFIG_FLAG,
			      options[0], *options[1] ? options[1] : NULL) < 0)
			return why_sys(why, errno, "cannot set %s=%s of '%s'",
				       options[0], options[1], type);
	if (configure(context_fd, FSCONFIG_CREATE, NULL, NULL) < 0)
		return why_sys(why, errno, "cannot make a file system '%s'",
			       type);
	tree_fd = (int)syscall(SYS_fsmount, context_fd, FSMOUNT_CLOEXEC_FLAG,
			       (unsigned int)attr);
	return tree_fd < 0 ? why_sys(why, errno, "cannot mount '%s'", type)
			   : tree_fd;
}

int mount_new(const char *type, const char *options, uint64_t attr,
	      const char *point, struct why *why)
{
	if (mount(type, point, type, (unsigned long)attr, options) < 0)
		return why_sys(why, errno, "cannot mount '%s'", type);
	return 0;
}

int mount_again(int dir_fd, const char *path, struct why *why)
{
	int tree_fd = (int)syscall(
		SYS_open_tree, dir_fd, path,
		OPEN_TREE_CLONE_FLAG | OPEN_TREE_CLOEXEC_FLAG |
			OPEN_TREE_RECURSIVE | AT_EMPTY_PATH | AT_NO_AUTOMOUNT);

	if (tree_fd >= 0)
		return tree_fd;
	return errno == ENOSYS ? mount_old_clone(dir_fd, path, why)
			       : why_sys(why, errno, "cannot clone the mount");
}

static int change(int tree_fd, unsigned int flags, const struct change *change,
		  struct why *why)
{
	if (syscall(SYS_mount_setattr, tree_fd, "", AT_EMPTY_PATH | flags,
		    change, sizeof(*change)) < 0)
		return why_sys(why, errno, "cannot restrict the mount");
	return 0;
}

int mount_restrict(int tree_fd, uint64_t attr, struct why *why)
{
	int r = change(tree_fd, 0, &(struct change){ .set = attr }, why);

	return r == -ENOSYS ? mount_old_change(tree_fd, attr, why) : r;
}

int mount_clone(int dir_fd, const char *path, uint64_t attr, struct why *why)
{
	struct change private = { .set = attr, .propagation = MS_PRIVATE };
	autoclose int tree_fd = mount_again(dir_fd, path, why);
	int r = tree_fd;

	if (r >= 0)
		r = change(tree_fd, OPEN_TREE_RECURSIVE, &private, why);
	if (r == -ENOSYS)
		r = mount_old_change_all(tree_fd, attr, why);
	return r < 0 ? r : take_fd(&tree_fd);
}

int mount_same(const char *path, const char *point)
{
	return mount(path, point, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

int mount_file(const char *path, const char *point, uint64_t attr,
	       struct why *why)
{
	struct change private = { .set = attr, .propagation = MS_PRIVATE };
	autoclose int fd = -1;
	int r = mount_same(path, point);

	if (r < 0)
		return why_sys(why, -r, "cannot clone the mount");
	if (!syscall(SYS_mount_setattr, AT_FDCWD, point, 0, &private,
		     sizeof(private)))
		return 0;
	if (errno == ENOSYS)
		fd = open(point, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? why_sys(why, errno, "cannot restrict the mount")
		      : mount_old_change_all(fd, attr, why);
}

int mount_put(int tree_fd, int dir_fd, const char *path, struct why *why)
{
	unsigned int flags = PUT_FROM_FD | (*path ? 0 : PUT_ON_FD);

	if (!syscall(SYS_move_mount, tree_fd, "", dir_fd, path, flags))
		return 0;
	if (errno == ENOSYS)
		return mount_old_put(tree_fd, dir_fd, path, why);
	return why_sys(why, errno, "cannot attach the mount");
}
