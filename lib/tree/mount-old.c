/* SPDX-License-Identifier: ISC */
#include "tree/mount-old.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"
#include "base/span.h"
#include "base/why.h"
#include "tree/mount.h"
#include "tree/mounts.h"
#include "tree/spot.h"

/* Where a mount waits: every host has both, and we read neither meanwhile. */
#define WAIT_DIR "/dev"
#define WAIT_FILE "/dev/null"

#define FD_ROOM 32      /* bytes of "/proc/self/fd/N" */
#define INFO_MAX 4096   /* bytes of /proc/self/fdinfo/N */
#define OPTIONS_MAX 512 /* bytes of the options of a file system */

static const char *by_fd(char path[FD_ROOM], int fd)
{
	(void)snprintf(path, FD_ROOM, "/proc/self/fd/%d", fd);
	return path;
}

/* "key=value,flag"; nothing of ours has a comma in it. */
static int join_options(struct buf *joined, const char *const *options,
			struct why *why)
{
	for (; options && *options; options += 2) {
		if (strpbrk(options[1], ",\\"))
			return why_set(why, EINVAL, "'%s' cannot be an option",
				       options[1]);
		buf_adds(joined, joined->len ? "," : "");
		buf_adds(joined, options[0]);
		if (*options[1])
			buf_addf(joined, "=%s", options[1]);
	}
	return joined->len >= OPTIONS_MAX
		       ? why_set(why, E2BIG,
				 "the options of the file system are too long")
		       : 0;
}

int mount_old_make(const char *type, const char *const *options, uint64_t attr,
		   struct why *why)
{
	autobuf struct buf joined = { 0 };
	int fd;

	if (join_options(&joined, options, why) < 0)
		return -why->errnum;
	if (mount("none", WAIT_DIR, type, (unsigned long)attr,
		  buf_str(&joined)) < 0)
		return why_sys(why, errno, "cannot mount '%s'", type);
	fd = open(WAIT_DIR, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? why_sys(why, errno, "cannot open the mount") : fd;
}

/* Where what @fd is can wait. */
static const char *waiting_at(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISDIR(st.st_mode) ? WAIT_DIR : WAIT_FILE;
}

int mount_old_clone(int dir_fd, const char *path, struct why *why)
{
	autoclose int from_fd = -1;
	char from[FD_ROOM];
	const char *at;
	int fd;

	/* "" stands for @dir_fd itself, which may be a link. */
	if (*path)
		from_fd = openat(dir_fd, path, O_PATH | O_CLOEXEC);
	if (*path && from_fd < 0)
		return why_sys(why, errno, "cannot clone the mount");
	at = waiting_at(*path ? from_fd : dir_fd);
	if (mount(by_fd(from, *path ? from_fd : dir_fd), at, NULL,
		  MS_BIND | MS_REC, NULL) < 0)
		return why_sys(why, errno, "cannot clone the mount");
	fd = open(at, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? why_sys(why, errno, "cannot open the mount") : fd;
}

int mount_old_put(int tree_fd, int dir_fd, const char *path, struct why *why)
{
	char from[FD_ROOM], to[FD_ROOM];
	autoclose int to_fd = -1;

	if (*path)
		to_fd = openat(dir_fd, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (*path && to_fd < 0)
		return why_sys(why, errno, "cannot attach the mount");
	if (mount(by_fd(from, tree_fd), by_fd(to, *path ? to_fd : dir_fd), NULL,
		  MS_MOVE, NULL) < 0)
		return why_sys(why, errno, "cannot attach the mount");
	return 0;
}

/* ---- attributes --------------------------------------------------------- */

/* The number that /proc/self/mountinfo has for the mount of @fd, proc(5). */
static int read_id(uint64_t *id, int fd, struct why *why)
{
	static const char key[] = "mnt_id:\t";
	autobuf struct buf info = { 0 };
	char path[FD_ROOM + 8];
	const char *found;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	r = file_read_path(&info, AT_FDCWD, path, INFO_MAX, why);
	if (r < 0)
		return r;
	found = strstr(buf_str(&info), key);
	if (!found)
		return why_set(why, ENODATA, "'%s' has no mnt_id", path);
	found += strlen(key);
	return num_read(id, (struct span){ found, strcspn(found, "\n") },
			UINT64_MAX) < 0
		       ? why_set(why, EINVAL, "'%s' has a bad mnt_id", path)
		       : 0;
}

static const struct mount *find(const struct mounts *mounts, uint64_t id)
{
	size_t i;

	for (i = 0; i < mounts->count; i++)
		if (mounts->rows[i].id == id)
			return &mounts->rows[i];
	return NULL;
}

/* Whether @mount is attached to @root, or to something that is. */
static bool is_below(const struct mounts *mounts, const struct mount *mount,
		     const struct mount *root)
{
	size_t steps;

	for (steps = 0; mount && mount != root; steps++)
		mount = steps > mounts->count ? NULL
					      : find(mounts, mount->parent);
	return mount != NULL;
}

/* What it has already, which may be locked, stays. */
static int remount(int fd, const struct mount *row, uint64_t attr,
		   struct why *why)
{
	char path[FD_ROOM];

	if (mount(NULL, by_fd(path, fd), NULL,
		  MS_REMOUNT | MS_BIND | (unsigned long)(row->attr | attr),
		  NULL) < 0)
		return why_sys(why, errno, "cannot restrict the mount at '%s'",
			       row->point);
	return 0;
}

/* By a path below @tree_fd: what is on the way there is mounted in it too. */
static int remount_below(int tree_fd, const struct mount *root,
			 const struct mount *row, uint64_t attr,
			 struct why *why)
{
	const char *rest = path_below(row->point, root->point);
	autoclose int fd = -1;
	uint64_t id;

	if (rest && *rest)
		fd = openat(tree_fd, rest, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return why_sys(why, rest && *rest ? errno : EINVAL,
			       "cannot find the mount at '%s'", row->point);
	if (read_id(&id, fd, why) < 0)
		return -why->errnum;
	/* One that is covered by another at the same place is out of reach. */
	return id == row->id ? remount(fd, row, attr, why) : 0;
}

/* The row of the mount @tree_fd; one that is nowhere waits from then on. */
static int find_row(struct mounts *mounts, const struct mount **row,
		    int tree_fd, struct why *why)
{
	uint64_t id;
	int r = read_id(&id, tree_fd, why);

	if (!r)
		r = mounts_read(mounts, why);
	*row = r < 0 ? NULL : find(mounts, id);
	if (r < 0 || *row)
		return r;
	mounts_drop(mounts);
	r = mount_put(tree_fd, AT_FDCWD, waiting_at(tree_fd), why);
	if (!r)
		r = mounts_read(mounts, why);
	*row = r < 0 ? NULL : find(mounts, id);
	if (r < 0 || *row)
		return r;
	return why_set(why, ENOENT, "the mount is not in /proc/self/mountinfo");
}

int mount_old_change(int tree_fd, uint64_t attr, struct why *why)
{
	automounts struct mounts mounts = { 0 };
	const struct mount *root;
	int r = find_row(&mounts, &root, tree_fd, why);

	return r < 0 ? r : remount(tree_fd, root, attr, why);
}

int mount_old_change_all(int tree_fd, uint64_t attr, struct why *why)
{
	automounts struct mounts mounts = { 0 };
	const struct mount *root, *row;
	char path[FD_ROOM];
	int r = find_row(&mounts, &root, tree_fd, why);

	if (r < 0)
		return r;
	if (mount(NULL, by_fd(path, tree_fd), NULL, MS_PRIVATE | MS_REC, NULL) <
	    0)
		return why_sys(why, errno, "cannot make the mount private");
	r = remount(tree_fd, root, attr, why);
	for (row = mounts.rows; !r && row < mounts.rows + mounts.count; row++)
		if (row != root && is_below(&mounts, row, root))
			r = remount_below(tree_fd, root, row, attr, why);
	return r;
}
