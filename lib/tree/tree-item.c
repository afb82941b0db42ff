/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "tree/mount.h"
#include "tree/plan.h"
#include "tree/tree.h"

static unsigned int item_access(const struct plan_item *item)
{
	unsigned int access = LANDLOCK_READ;

	if (plan_is_writable(item))
		access |= LANDLOCK_WRITE;
	if (!item->noexec)
		access |= LANDLOCK_EXEC;
	return access;
}

/* Read-only holds the node (its mode, its times) and not the device. */
static int bind_device(const struct tree *tree, const struct spot *source,
		       struct why *why)
{
	int r = tree_allow(tree, source->fd,
			   LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_DEVICE,
			   why);

	return r < 0 ? r
		     : mount_clone(source->fd, "",
				   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					   MOUNT_ATTR_NOEXEC,
				   why);
}

static int bind(const struct tree *tree, const struct plan_item *item,
		const struct spot *source, struct why *why)
{
	uint64_t attr = TREE_ATTR;
	int r = tree_allow(tree, source->fd, item_access(item), why);

	if (item->kind == GRANT_READ)
		attr |= MOUNT_ATTR_RDONLY;
	if (item->noexec)
		attr |= MOUNT_ATTR_NOEXEC;
	return r < 0 ? r : mount_clone(source->fd, "", attr, why);
}

/* A read-only file of ours with the text of @item in it. */
static int write_text(struct tree *tree, const struct plan_item *item,
		      struct why *why)
{
	char name[16];
	int r;

	(void)snprintf(name, sizeof(name), "%u", tree->scratch_count++);
	autoclose int file_fd = openat(tree->store_fd, name,
				       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				       0444);

	r = file_fd < 0 ? -errno : file_write(file_fd, span_of(item->text));
	if (r < 0)
		return why_sys(why, -r, "cannot write a file");
	autoclose int fd = mount_clone(
		tree->store_fd, name,
		TREE_ATTR | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, why);

	r = fd < 0 ? fd : tree_allow(tree, fd, LANDLOCK_READ, why);
	return r < 0 ? r : take_fd(&fd);
}

int tree_mount(struct tree *tree, const struct plan_item *item,
	       const struct spot *source, struct why *why)
{
	if (item->kind == GRANT_TMPFS)
		return tree_scratch(tree, 01777, item->noexec, why);
	if (item->kind == GRANT_COW)
		return tree_overlay(tree, source->fd, item->noexec, why);
	if (item->kind == GRANT_DEVICE)
		return bind_device(tree, source, why);
	return item->text ? write_text(tree, item, why)
			  : bind(tree, item, source, why);
}
