/* SPDX-License-Identifier: ISC */
#include "tree/stay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/fd.h"
#include "base/why.h"
#include "tree/mount.h"
#include "tree/mounts.h"

/* Returns 1, or 0 where there is no procfs. */
static int open_both(struct stay *stay, struct why *why)
{
	if (stay->moves_fd >= 0)
		return 1;
	stay->proc_fd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (stay->proc_fd < 0)
		return 0;
	stay->moves_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (stay->moves_fd >= 0)
		return 1;
	(void)why_sys(why, errno, "cannot watch for renames");
	return why->errnum == EMFILE
		       ? why_behind(why, " (fs.inotify.max_user_instances)")
		       : -why->errnum;
}

/* By a path that the kernel makes of a descriptor: it may be no other file. */
static int watch_fd(const struct stay *stay, int fd, struct why *why)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (inotify_add_watch(stay->moves_fd, path, IN_MOVE_SELF) >= 0 ||
	    errno == EACCES)
		return 0;
	return why_sys(why, errno, "cannot watch for renames");
}

/* Everything on the way to @path, which would take it along. */
static int watch_way(const struct stay *stay, const char *path, struct why *why)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				      .resolve = RESOLVE_IN_ROOT |
						 RESOLVE_NO_SYMLINKS };
	autofree char *dir = alloc_copy(path, strlen(path));
	char *slash = dir;
	int r = 0;

	while (!r && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		autoclose int fd = (int)syscall(SYS_openat2, stay->root_fd, dir,
						&how, sizeof(how));

		r = fd < 0 ? why_sys(why, errno, "cannot open '%s'", dir)
			   : watch_fd(stay, fd, why);
		*slash = '/';
	}
	return r;
}

int stay_put(struct stay *stay, int tree_fd, int point_fd, const char *by,
	     struct why *why)
{
	char name[16], path[PATH_MAX];
	struct stay_place *place;
	ssize_t len;
	int r = open_both(stay, why);

	if (r <= 0)
		return r < 0 ? r : mount_put(tree_fd, point_fd, "", why);
	(void)snprintf(name, sizeof(name), "fd/%d", point_fd);
	len = readlinkat(stay->proc_fd, name, path, sizeof(path) - 1);
	if (len < 0)
		return why_sys(why, errno, "cannot name the place");
	path[len] = '\0';
	r = watch_fd(stay, point_fd, why);
	if (!r)
		r = watch_way(stay, path, why);
	if (!r)
		r = mount_put(tree_fd, point_fd, "", why);
	if (r < 0)
		return r;
	stay->places = alloc_array(stay->places, stay->count, sizeof(*place));
	place = &stay->places[stay->count++];
	place->path = alloc_copy(path, (size_t)len);
	place->by = by;
	return 0;
}

/*
 * Cheaper than the table, and not for later: a way through the file system of
 * somebody who does not answer would be waited for.
 */
static bool is_mount(const char *path)
{
	struct statx st = { 0 };

	return !statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC,
		      0, &st) &&
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* What is seen there is seen from the root that the opener has. */
int stay_enter(struct stay *stay, struct why *why)
{
	size_t i;

	if (!stay->count)
		return 0;
	stay->table_fd =
		openat(stay->proc_fd, "mountinfo", O_RDONLY | O_CLOEXEC);
	fd_drop(&stay->proc_fd);
	if (stay->table_fd < 0)
		return why_sys(why, errno, "cannot watch the mounts");
	for (i = 0; i < stay->count; i++)
		if (!is_mount(stay->places[i].path))
			stay->doubtful = true;
	return 0;
}

static bool is_mounted(const struct mounts *mounts, const char *path)
{
	size_t i;

	for (i = 0; i < mounts->count; i++)
		if (!strcmp(mounts->rows[i].point, path))
			return true;
	return false;
}

/* What has moved is asked of the mounts: renamed and back is no harm. */
static void forget_moves(int moves_fd)
{
	char events[4096]
		__attribute__((aligned(__alignof__(struct inotify_event))));

	while (read(moves_fd, events, sizeof(events)) > 0)
		;
}

int stay_check(const struct stay *stay, struct why *why)
{
	automounts struct mounts mounts = { 0 };
	const struct stay_place *place = stay->places;
	const struct stay_place *end = place + stay->count;

	forget_moves(stay->moves_fd);
	if (mounts_read_again(&mounts, stay->table_fd, why) < 0)
		return -why->errnum;
	for (; place < end; place++)
		if (!is_mounted(&mounts, place->path))
			return why_set(why, ESTALE,
				       "%s: '%s' was replaced, moved or "
				       "removed outside",
				       place->by, place->path);
	return 0;
}
