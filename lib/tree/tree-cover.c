/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "tree/mount.h"
#include "tree/plan.h"
#include "tree/stay.h"
#include "tree/tree.h"

#define COVER_TRIES 8 /* of what is being replaced all the time */

static int put(const struct tree *tree, const struct plan_cover *cover, int fd,
	       int point_fd, struct why *why)
{
	if (!cover->by)
		return mount_put(fd, point_fd, "", why);
	return stay_put(tree->stay, fd, point_fd, cover->by, why);
}

/*
 * A directory that is a mount can be neither renamed nor replaced.  Below one
 * that is not there nothing is.
 */
static int pin_dirs(const struct tree *tree, const struct plan_cover *cover,
		    struct why *why)
{
	autofree char *path = alloc_copy(cover->path, strlen(cover->path));
	char *slash = path + cover->below;
	int r = 0;

	/* Where it is the item itself, there is nothing on the way. */
	if (*slash)
		slash++;
	while (!r && (slash = strchr(slash, '/'))) {
		*slash = '\0';
		autoclose int point_fd =
			tree_open_inside(tree, path, RESOLVE_NO_SYMLINKS);

		if (point_fd == -ENOENT || point_fd == -ENOTDIR)
			return 0;
		autoclose int fd = point_fd < 0
					   ? why_sys(why, -point_fd,
						     "cannot pin '%s'", path)
					   : mount_clone(point_fd, "", 0, why);

		r = fd < 0 ? fd : put(tree, cover, fd, point_fd, why);
		*slash++ = '/';
	}
	return r;
}

/* Looks at what is at @point_fd: 1, or 0 if nothing is there. */
static int look(int point_fd, struct stat *st, struct why *why)
{
	if (point_fd == -ENOENT || point_fd == -ENOTDIR)
		return 0;
	if (point_fd < 0 || fstat(point_fd, st) < 0)
		return why_sys(why, point_fd < 0 ? -point_fd : errno,
			       "cannot look at it");
	return 1;
}

/*
 * With itself mounted on it, a link can be neither removed nor replaced, and
 * leads where it led.
 */
static int pin_link(const struct tree *tree, const struct plan_cover *cover,
		    struct why *why)
{
	autoclose int point_fd = cover->pin ? tree_open_link(tree, cover->path)
					    : -ENOENT;
	struct stat st;
	int r = look(point_fd, &st, why);

	/* What is no link any more is covered by its own path. */
	if (r <= 0 || !S_ISLNK(st.st_mode))
		return r < 0 ? r : 0;
	autoclose int fd = mount_clone(point_fd, "", 0, why);

	return fd < 0 ? fd : put(tree, cover, fd, point_fd, why);
}

static int cover_one(const struct tree *tree, const struct plan_cover *cover,
		     struct why *why)
{
	autoclose int point_fd = tree_open_inside(tree, cover->path, 0);
	struct stat st;
	int r = look(point_fd, &st, why);

	if (r <= 0)
		return r;
	autoclose int fd = mount_again(
		tree->empty_fd,
		S_ISDIR(st.st_mode) ? TREE_HIDDEN_DIR : TREE_HIDDEN_FILE, why);

	return fd < 0 ? fd : put(tree, cover, fd, point_fd, why);
}

static int apply(const struct tree *tree, const struct plan_cover *cover,
		 struct why *why)
{
	int r = cover->pin ? pin_dirs(tree, cover, why) : 0;

	if (r < 0)
		return r;
	return cover->link ? pin_link(tree, cover, why)
			   : cover_one(tree, cover, why);
}

/* What is replaced between a look and the mount on it gives ENOENT. */
int tree_cover(const struct tree *tree, const struct plan *plan,
	       struct why *why)
{
	unsigned int tries;
	size_t i;
	int r;

	if (plan->cover_count &&
	    (mkdirat(tree->store_fd, TREE_HIDDEN_DIR, 0) < 0 ||
	     mknodat(tree->store_fd, TREE_HIDDEN_FILE, S_IFREG, 0) < 0))
		return why_sys(why, errno, "cannot fill the new root");
	for (i = 0; i < plan->cover_count; i++) {
		r = apply(tree, &plan->covers[i], why);
		for (tries = COVER_TRIES; r == -ENOENT && tries; tries--)
			r = apply(tree, &plan->covers[i], why);
		if (r < 0)
			return why_within(why, "cannot hide '%s'",
					  plan->covers[i].path);
	}
	return 0;
}
