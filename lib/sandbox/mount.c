/* SPDX-License-Identifier: ISC */
#include "sandbox/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mount.h>

#include "base/auto.h"
#include "base/why.h"

int mount_make(const char *type, const char *const *options, uint64_t attr,
	       struct why *why)
{
	autoclose int context_fd = fsopen(type, FSOPEN_CLOEXEC);
	int tree_fd;

	if (context_fd < 0)
		return why_sys(why, errno, "cannot make a file system '%s'",
			       type);
	for (; options && *options; options += 2)
		if (fsconfig(context_fd, FSCONFIG_SET_STRING, options[0],
			     options[1], 0) < 0)
			return why_sys(why, errno, "cannot set %s=%s of '%s'",
				       options[0], options[1], type);
	if (fsconfig(context_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return why_sys(why, errno, "cannot make a file system '%s'",
			       type);
	tree_fd = fsmount(context_fd, FSMOUNT_CLOEXEC, (unsigned int)attr);
	return tree_fd < 0 ? why_sys(why, errno, "cannot mount '%s'", type)
			   : tree_fd;
}

int mount_again(int dir_fd, const char *path, struct why *why)
{
	int tree_fd =
		open_tree(dir_fd, path,
			  OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE |
				  AT_EMPTY_PATH | AT_NO_AUTOMOUNT);

	return tree_fd < 0 ? why_sys(why, errno, "cannot clone the mount")
			   : tree_fd;
}

int mount_clone(int dir_fd, const char *path, uint64_t attr, struct why *why)
{
	struct mount_attr set = { .attr_set = attr, .propagation = MS_PRIVATE };
	autoclose int tree_fd = mount_again(dir_fd, path, why);

	if (tree_fd < 0)
		return tree_fd;
	if (mount_setattr(tree_fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &set,
			  sizeof(set)) < 0)
		return why_sys(why, errno, "cannot restrict the mount");
	return take_fd(&tree_fd);
}

int mount_put(int tree_fd, int dir_fd, const char *path, struct why *why)
{
	unsigned int flags = MOVE_MOUNT_F_EMPTY_PATH;

	if (!*path)
		flags |= MOVE_MOUNT_T_EMPTY_PATH;
	if (move_mount(tree_fd, "", dir_fd, path, flags) < 0)
		return why_sys(why, errno, "cannot attach the mount");
	return 0;
}
