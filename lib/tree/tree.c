/* SPDX-License-Identifier: ISC */
#include "tree/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/span.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "tree/mount.h"
#include "tree/plan.h"
#include "tree/stay.h"

/*
 * The order in which a tree is made matters:
 *
 *  1. The new root is attached over "/", where it can be cloned from (a mount
 *     that is attached nowhere cannot, before Linux 6.15) and where no
 *     directory of the host has to lend its name.  Paths that are looked up
 *     from our root still lead to the host, below it.
 *  2. The items, those above others first.
 *  3. What is hidden is covered: after everything else, so that nothing is
 *     put on top of it.
 *  4. The root becomes read-only, and then the only one.
 */

#define SHOW_TRIES 8 /* of a file that is being replaced all the time */

int tree_dirs(const struct tree *tree, const char *path, struct why *why)
{
	autofree char *copy = alloc_copy(path, strlen(path));
	char *slash = copy;

	if (!mkdirat(tree->root_fd, path, 0755) || errno == EEXIST)
		return 0;
	while (errno == ENOENT && (slash = strchr(slash, '/'))) {
		*slash = '\0';
		if (!mkdirat(tree->root_fd, copy, 0755) || errno == EEXIST)
			errno = ENOENT;
		*slash++ = '/';
	}
	if (mkdirat(tree->root_fd, path, 0755) < 0 && errno != EEXIST)
		return why_sys(why, errno, "cannot make directory '/%s'", path);
	return 0;
}

int tree_allow(const struct tree *tree, int fd, unsigned int access,
	       struct why *why)
{
	if (!tree->landlock)
		return 0;
	return landlock_allow(tree->landlock, fd, access, why);
}

int tree_scratch(struct tree *tree, mode_t mode, bool noexec, struct why *why)
{
	unsigned int access = LANDLOCK_READ | LANDLOCK_WRITE;
	char name[16];
	int r;

	(void)snprintf(name, sizeof(name), "%u", tree->scratch_count++);
	if (mkdirat(tree->store_fd, name, mode) < 0)
		return why_sys(why, errno, "cannot make a scratch directory");
	if (!noexec)
		access |= LANDLOCK_EXEC;
	autoclose int fd =
		mount_clone(tree->store_fd, name,
			    TREE_ATTR | (noexec ? MOUNT_ATTR_NOEXEC : 0), why);

	r = fd < 0 ? fd : tree_allow(tree, fd, access, why);
	return r < 0 ? r : take_fd(&fd);
}

int tree_put_scratch(struct tree *tree, const char *path, mode_t mode,
		     struct why *why)
{
	autoclose int fd = tree_scratch(tree, mode, false, why);
	int r = fd < 0 ? fd : mount_put(fd, tree->root_fd, path, why);

	return r < 0 ? why_within(why, "cannot make '/%s'", path) : 0;
}

static bool make_file(const struct tree *tree, const char *path)
{
	return !mknodat(tree->root_fd, path, S_IFREG | 0600, 0) ||
	       errno == EEXIST;
}

/*
 * A place for a mount to stand on, which is made only where it is ours.  Where
 * one file of a directory is granted, others are too: it is mostly there.
 */
static int make_point(const struct tree *tree, const struct plan_item *item,
		      struct why *why)
{
	const char *path = item->target + 1;
	const char *slash = strrchr(path, '/');

	if (item->kind == GRANT_TMPFS || S_ISDIR(item->source.mode))
		return tree_dirs(tree, path, why);
	if (make_file(tree, path))
		return 0;
	if (errno == ENOENT && slash) {
		autofree char *dir = alloc_copy(path, (size_t)(slash - path));

		if (tree_dirs(tree, dir, why) < 0)
			return -why->errnum;
		if (make_file(tree, path))
			return 0;
	}
	return why_sys(why, errno, "cannot make '%s'", item->target);
}

int tree_open_inside(const struct tree *tree, const char *path,
		     uint64_t resolve)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				      .resolve = resolve | RESOLVE_IN_ROOT |
						 RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, tree->root_fd, path, &how,
			      sizeof(how));

	return fd < 0 ? -errno : fd;
}

int tree_open_link(const struct tree *tree, const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				      .resolve = RESOLVE_NO_SYMLINKS |
						 RESOLVE_IN_ROOT };
	int fd = (int)syscall(SYS_openat2, tree->root_fd, path, &how,
			      sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* Without it, @above lets more be done there, or done elsewhere. */
static bool is_less(const struct plan_item *item, const struct plan_item *above)
{
	if (item->kind == GRANT_DEVICE)
		return false;
	if (item->kind == GRANT_TMPFS || item->kind == GRANT_COW)
		return true;
	return (item->noexec && !above->noexec) ||
	       (item->kind == GRANT_READ && above->kind != GRANT_READ);
}

static int attach(const struct tree *tree, const struct plan_item *item,
		  const struct plan_item *above, int fd, struct why *why)
{
	autoclose int point_fd = -1;

	if (!above || above->kind == GRANT_TMPFS)
		return mount_put(fd, tree->root_fd, item->target + 1, why);
	point_fd = tree_open_inside(tree, item->target, RESOLVE_NO_SYMLINKS);
	if (point_fd < 0)
		return why_sys(why, -point_fd,
			       "cannot find a place for '%s' in '%s'",
			       item->target, above->target);
	if (!is_less(item, above))
		return mount_put(fd, point_fd, "", why);
	return stay_put(tree->stay, fd, point_fd, item->by, why);
}

static int show(struct tree *tree, const struct plan_item *item,
		const struct plan_item *above, const struct spot *source,
		struct why *why)
{
	autoclose int fd = tree_mount(tree, item, source, why);
	int r = fd < 0 ? fd : 0;

	if (!r && (!above || above->kind == GRANT_TMPFS))
		r = make_point(tree, item, why);
	if (!r)
		r = attach(tree, item, above, fd, why);
	return r;
}

/*
 * A file that was replaced by rename(2) since it was pinned, as useradd(8)
 * does with /etc/passwd, can no longer be mounted (ENOENT): its successor is
 * what the path means now.  Unless that is a link: what is granted was none,
 * and who put one there may be in a sandbox.
 */
static int add_item(struct tree *tree, const struct plan_item *item,
		    const struct plan_item *above, struct why *why)
{
	autospot struct spot now = SPOT_NOWHERE;
	int r = show(tree, item, above, &item->source, why);
	unsigned int tries =
		item->kind == GRANT_TMPFS || item->judged ? 0 : SHOW_TRIES;

	for (; r == -ENOENT && tries; tries--) {
		spot_close(&now);
		r = spot_again(&now, buf_str(&item->source.path), why);
		if (!r)
			r = show(tree, item, above, &now, why);
	}
	return r < 0 ? why_within(why, "%s: cannot show '%s'", item->by,
				  item->target)
		     : 0;
}

static bool is_moved(const struct plan_item *item)
{
	return item->source.fd < 0 ||
	       strcmp(buf_str(&item->source.path), item->target) != 0;
}

/*
 * Whether @item shows just what @above already shows there.  A socket has a
 * rule of its own: that of its directory opens none in it.
 */
static bool is_shown(const struct plan_item *item,
		     const struct plan_item *above)
{
	return above && above->kind == item->kind && !item->text &&
	       above->noexec == item->noexec && !is_moved(above) &&
	       !is_moved(item) && !S_ISSOCK(item->source.mode);
}

static int add_items(struct tree *tree, const struct plan *plan,
		     struct why *why)
{
	const struct plan_item *item, *above;
	size_t i;
	int r = 0;

	for (i = 0; i < plan->item_count && !r; i++) {
		item = &plan->items[i];
		above = plan_above(plan, i, item->target);
		if (!is_shown(item, above))
			r = add_item(tree, item, above, why);
	}
	return r;
}

/* Links that stand in what is granted are there already. */
static int add_links(const struct tree *tree, const struct plan *plan,
		     struct why *why)
{
	const struct plan_item *above;
	const struct spot_link *link;
	size_t i;

	for (i = 0; i < plan->links.count; i++) {
		link = &plan->links.links[i];
		above = plan_above(plan, plan->item_count, link->path);
		if (above && above->kind != GRANT_TMPFS)
			continue;
		autofree char *dir = alloc_copy(
			link->path + 1,
			(size_t)(strrchr(link->path, '/') - link->path) -
				(strrchr(link->path, '/') != link->path));

		if (*dir && tree_dirs(tree, dir, why) < 0)
			return -why->errnum;
		if (symlinkat(link->text, tree->root_fd, link->path + 1) < 0 &&
		    errno != EEXIST)
			return why_sys(why, errno, "cannot make the link '%s'",
				       link->path);
	}
	return 0;
}

/*
 * What others are covered with, and the scratch directories, lie below the
 * mount at /run/chock, where nothing but a descriptor that was open before
 * reaches them.  Clones of the former are read-only because it is.
 */
static int add_store(struct tree *tree, struct why *why)
{
	int fd, r;

	if (tree_dirs(tree, SANDBOX_RUN + 1, why) < 0)
		return -why->errnum;
	fd = openat(tree->root_fd, SANDBOX_RUN + 1, O_PATH | O_CLOEXEC);
	tree->store_fd = fd;
	if (fd < 0 || mkdirat(fd, TREE_EMPTY_DIR, 0555) < 0 ||
	    mknodat(fd, TREE_EMPTY_FILE, S_IFREG | 0444, 0) < 0)
		return why_sys(why, errno, "cannot fill the new root");
	tree->empty_fd = mount_clone(
		fd, "", TREE_ATTR | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, why);
	r = tree->empty_fd < 0 ? tree->empty_fd
			       : mount_put(tree->empty_fd, tree->root_fd,
					   SANDBOX_RUN + 1, why);
	return r;
}

static int add_run(struct tree *tree, struct why *why)
{
	int r = tree_put_scratch(tree, SANDBOX_RUN + 1, 0755, why);

	if (r < 0)
		return r;
	if (mkdirat(tree->root_fd, SANDBOX_HOME + 1, 0700) < 0 ||
	    mkdirat(tree->root_fd, SANDBOX_TMP + 1, 01777) < 0)
		return why_sys(why, errno, "cannot fill '%s'", SANDBOX_RUN);
	return 0;
}

static int add_root(struct tree *tree, struct why *why)
{
	const uint64_t cap = tree->sandbox->limits.value[LIMIT_SCRATCH];
	const uint64_t most = cap / LIMIT_FILE_BYTES + LIMIT_SCRATCH_FILES;
	char size[32], files[32];
	const char *const options[] = { "mode",      "0755", "size", size,
					"nr_inodes", files,  NULL };

	(void)snprintf(size, sizeof(size), "%llu", (unsigned long long)cap);
	(void)snprintf(files, sizeof(files), "%llu", (unsigned long long)most);
	tree->root_fd = mount_make("tmpfs", options, TREE_ATTR, why);
	if (tree->root_fd < 0)
		return tree->root_fd;
	tree->stay->root_fd = tree->root_fd;
	return mount_put(tree->root_fd, AT_FDCWD, "/", why);
}

int tree_build(struct tree *tree, const struct plan *plan, struct why *why)
{
	int r = add_root(tree, why);

	if (!r)
		r = add_store(tree, why);
	if (!r) /* covers with what is in the store, by its path */
		r = tree_kernel(tree, why);
	if (!r)
		r = add_run(tree, why);
	if (!r)
		r = add_items(tree, plan, why);
	if (!r)
		r = add_links(tree, plan, why);
	if (!r)
		r = tree_cover(tree, plan, why);
	if (!r) /* everything here may be listed, or is covered */
		r = tree_allow(tree, tree->root_fd, LANDLOCK_LIST, why);
	return r;
}

int tree_enter(struct tree *tree, struct why *why)
{
	if (mount_restrict(tree->root_fd, MOUNT_ATTR_RDONLY, why) < 0)
		return why_within(why, "cannot make the root read-only");
	if (fchdir(tree->root_fd) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		return why_sys(why, errno, "cannot change the root");
	if (umount2(".", MNT_DETACH) < 0)
		return why_sys(why, errno, "cannot let go of the old root");
	if (chdir("/") < 0)
		return why_sys(why, errno, "cannot enter the new root");
	return stay_enter(tree->stay, why);
}

void tree_close(struct tree *tree)
{
	fd_drop(&tree->root_fd);
	fd_drop(&tree->proc_fd);
	fd_drop(&tree->empty_fd);
	fd_drop(&tree->store_fd);
}
