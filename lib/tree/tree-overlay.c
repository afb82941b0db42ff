/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/pass.h"
#include "base/why.h"
#include "confine/landlock.h"
#include "spec/sandbox.h"
#include "tree/mount.h"
#include "tree/plan.h"
#include "tree/spot.h"
#include "tree/tree.h"

/*
 * A copy on write is an overlay: the host's directory below, and above it a
 * tmpfs of its own, whose size is the quota, or a directory of the caller's
 * that keeps what is written.  An overlay's layers are named by paths
 * (before Linux 6.13 by nothing else), so both are put into the store, under
 * names relative to it, and taken away again once the overlay holds them.
 *
 * "userxattr" is what a user namespace can have (Linux 5.11); it follows no
 * redirection, so that a directory which is below is renamed by copying it.
 * The upper layer must keep user attributes, as tmpfs does since Linux 6.6, and
 * work must be on the same mount as it is, so that what is shown is the
 * directory of both.
 */

#define STORE "cow"
#define LOWER "lower"
#define LAYER "layer"
#define UPPER LAYER "/upper"
#define WORK LAYER "/work"

/* So that what is changed from now on has a later ctime: one tick, at most. */
static void wait_for_clock(const struct timespec *since)
{
	const struct timespec pause = { .tv_nsec = 500000 };
	struct timespec now;

	while (!clock_gettime(CLOCK_REALTIME_COARSE, &now) &&
	       (now.tv_sec < since->tv_sec ||
		(now.tv_sec == since->tv_sec &&
		 now.tv_nsec <= since->tv_nsec)) &&
	       since->tv_sec - now.tv_sec <= 1)
		(void)nanosleep(&pause, NULL);
}

static int check_attributes(int upper_fd, const char *layers, struct why *why)
{
	static const char name[] = "user.chock";

	if (!fsetxattr(upper_fd, name, "", 0, 0))
		return fremovexattr(upper_fd, name) < 0
			       ? why_sys(why, errno, "cannot use a layer")
			       : 0;
	if (errno == EOPNOTSUPP && layers)
		return why_set(why, EOPNOTSUPP,
			       "the file system of '%s' keeps no user "
			       "attributes, which a layer needs",
			       layers);
	if (errno == EOPNOTSUPP)
		return why_set(
			why, EOPNOTSUPP,
			"this kernel keeps no user attributes in a tmpfs "
			"(Linux 6.6 does), and without them no quota can "
			"be held");
	return why_sys(why, errno, "cannot use a layer");
}

static int make_tmpfs(const struct tree *tree, struct why *why)
{
	uint64_t quota = tree->sandbox->limits.value[LIMIT_COW];
	char size[32], files[32];
	const char *const options[] = { "mode",      "0700", "size", size,
					"nr_inodes", files,  NULL };

	(void)snprintf(size, sizeof(size), "%llu", (unsigned long long)quota);
	(void)snprintf(files, sizeof(files), "%llu",
		       (unsigned long long)quota / LIMIT_FILE_BYTES);
	return mount_make("tmpfs", options, TREE_ATTR, why);
}

static int show_kept(const char *layers, struct why *why)
{
	autospot struct spot spot = SPOT_NOWHERE;
	int r = spot_find(&spot, layers, NULL, why);

	if (r == -ENOENT) /* which would mean that the directory is gone */
		return why_set(why, ESTALE, "'%s' is gone", layers);
	return r < 0 ? r : mount_clone(spot.fd, "", TREE_ATTR, why);
}

/* In the store; returns the upper layer in it, for the outside. */
static int add_layer(const struct tree *tree, int dir_fd, struct why *why)
{
	const char *layers = tree->sandbox->cow->layers;
	autoclose int fd = layers ? show_kept(layers, why)
				  : make_tmpfs(tree, why);

	if (fd < 0 || mount_put(fd, dir_fd, LAYER, why) < 0)
		return -why->errnum;
	if ((mkdirat(dir_fd, UPPER, 0755) < 0 &&
	     (errno != EEXIST || !tree->sandbox->cow->again)) ||
	    mkdirat(dir_fd, WORK, 0700) < 0)
		return why_sys(why, errno, "cannot make the upper layer");
	autoclose int upper_fd = openat(
		dir_fd, UPPER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (upper_fd < 0)
		return why_sys(why, errno, "cannot open the upper layer");
	if (check_attributes(upper_fd, layers, why) < 0)
		return -why->errnum;
	return take_fd(&upper_fd);
}

/* The top of the merged tree has the mode of the one below. */
static int match_mode(int upper_fd, int source_fd, struct why *why)
{
	struct stat st;

	if (fstat(source_fd, &st) < 0 || fchmod(upper_fd, st.st_mode & 0777))
		return why_sys(why, errno, "cannot set the mode of the layer");
	return 0;
}

/*
 * A layer on a disk is "volatile" (Linux 5.10): the kernel would else write out
 * the whole disk at its end, and wait.  What lands or is kept is written out
 * first, and after a crash of the machine a session that ran is over.
 */
static int make_overlay(int dir_fd, const char *layers, uint64_t attr,
			struct why *why)
{
	static const char upper[] = UPPER, work[] = WORK;
	const char *last = layers ? "volatile" : NULL;
	const char *const options[] = { "userxattr", "",    "lowerdir", LOWER,
					"upperdir",  upper, "workdir",  work,
					"index",     "off", last,       "",
					NULL };
	int fd;

	if (fchdir(dir_fd) < 0)
		return why_sys(why, errno, "cannot enter the store");
	fd = mount_make("overlay", options, attr, why);
	if (fd == -EINVAL && layers)
		return why_set(why, EINVAL,
			       "the kernel makes no overlay of it and of '%s': "
			       "neither file system may take upper and lower "
			       "case for the same, and the second must be on a "
			       "disk, and not on an overlay itself",
			       layers);
	if (fd == -EINVAL)
		return why_set(why, EINVAL,
			       "the kernel makes no overlay over this file "
			       "system, as over none that takes upper and "
			       "lower case for the same");
	return fd;
}

/* The outside reads the layer when nobody inside is left. */
static int send_layer(const struct tree *tree, int upper_fd, struct why *why)
{
	int r = pass_send(tree->sandbox->cow->layer_fd, 0, upper_fd);

	return r < 0 ? why_sys(why, -r, "cannot hand on the upper layer") : 0;
}

static int check_source(const struct tree *tree, int source_fd, struct why *why)
{
	const struct sandbox_cow *cow = tree->sandbox->cow;
	struct stat st;

	if (fstat(source_fd, &st) < 0)
		return why_sys(why, errno, "cannot look at it");
	if (st.st_dev != cow->dev || st.st_ino != cow->ino)
		return why_set(why, ESTALE,
			       "another directory is there by now");
	return 0;
}

/* A copy that was made of the directory, beside the layers, is shown for it. */
static int show_lower(const char *layers, int source_fd, struct why *why)
{
	const uint64_t attr = TREE_ATTR | MOUNT_ATTR_RDONLY;
	autospot struct spot spot = SPOT_NOWHERE;
	autofree char *path = layers ? alloc_text("%s/" LOWER, layers) : NULL;
	struct why lost = { 0 };
	int r = path ? spot_find(&spot, path, NULL, &lost) : -ENOENT;

	if (r < 0 && r != -ENOENT) {
		*why = lost;
		return r;
	}
	return mount_clone(r < 0 ? source_fd : spot.fd, "", attr, why);
}

static int add_lower(int dir_fd, const char *layers, int source_fd,
		     struct why *why)
{
	autoclose int fd = show_lower(layers, source_fd, why);

	return fd < 0 ? fd : mount_put(fd, dir_fd, LOWER, why);
}

int tree_overlay(const struct tree *tree, int source_fd, bool noexec,
		 struct why *why)
{
	unsigned int access = LANDLOCK_READ | LANDLOCK_WRITE;
	uint64_t attr = TREE_ATTR | (noexec ? MOUNT_ATTR_NOEXEC : 0);
	int r = check_source(tree, source_fd, why);

	if (r < 0)
		return r;
	if (mkdirat(tree->store_fd, STORE, 0700) < 0 ||
	    mkdirat(tree->store_fd, STORE "/" LOWER, 0700) < 0 ||
	    mkdirat(tree->store_fd, STORE "/" LAYER, 0700) < 0)
		return why_sys(why, errno, "cannot make room for an overlay");
	autoclose int dir_fd =
		openat(tree->store_fd, STORE, O_PATH | O_CLOEXEC);

	if (dir_fd < 0 ||
	    add_lower(dir_fd, tree->sandbox->cow->layers, source_fd, why) < 0)
		return dir_fd < 0 ? why_sys(why, errno, "cannot open the store")
				  : -why->errnum;
	autoclose int upper_fd = add_layer(tree, dir_fd, why);

	if (upper_fd < 0 || match_mode(upper_fd, source_fd, why) < 0)
		return -why->errnum;
	wait_for_clock(&tree->sandbox->cow->since);
	autoclose int fd =
		make_overlay(dir_fd, tree->sandbox->cow->layers, attr, why);

	if (!noexec)
		access |= LANDLOCK_EXEC;
	r = fd < 0 ? fd : send_layer(tree, upper_fd, why);
	if (!r)
		r = tree_allow(tree, fd, access, why);
	if (!r && (umount2(LAYER, MNT_DETACH) < 0 ||
		   umount2(LOWER, MNT_DETACH) < 0 || chdir("/") < 0))
		r = why_sys(why, errno, "cannot put the layers away");
	return r < 0 ? r : take_fd(&fd);
}
