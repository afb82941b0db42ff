/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_MOUNT_H
#define CHOCK_TREE_MOUNT_H

/*
 * mount - mounts as descriptors: made or cloned first, put in place later
 *
 * A mount is made detached, gets its attributes while nobody can reach it,
 * and is attached through descriptors, so that no path is looked up twice.
 */

#include <stdint.h>
#include <sys/mount.h>

struct why;

/*
 * The attributes of mount_setattr(2), by the numbers of linux/mount.h, which
 * cannot be included together with sys/mount.h; not every libc has them.
 */
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x1
#endif
#ifndef MOUNT_ATTR_NOSUID
#define MOUNT_ATTR_NOSUID 0x2
#endif
#ifndef MOUNT_ATTR_NODEV
#define MOUNT_ATTR_NODEV 0x4
#endif
#ifndef MOUNT_ATTR_NOEXEC
#define MOUNT_ATTR_NOEXEC 0x8
#endif

/*
 * mount_make - a new file system of @type with mount attributes @attr
 *
 * @options is NULL or key, value, key, value, ..., NULL; one without a value,
 * a flag, has "".
 *
 * Returns its descriptor, which the caller owns, or -errno.
 */
int mount_make(const char *type, const char *const *options, uint64_t attr,
	       struct why *why);

/*
 * mount_new - mount_make() and mount_put() at @point, relative to the working
 * directory, in one call in place of six
 *
 * @options are as mount(2) wants them.  For places that are ours, where nobody
 * can move what a path means.
 */
int mount_new(const char *type, const char *options, uint64_t attr,
	      const char *point, struct why *why);

/*
 * mount_clone - the tree at @path relative to @dir_fd ("": itself), detached
 * and private, with @attr set on every mount in it
 *
 * File systems mounted below come along, for what lies beneath them must not
 * be uncovered; none of them is asked for anything.
 *
 * Returns its descriptor, which the caller owns, or -errno.
 */
int mount_clone(int dir_fd, const char *path, uint64_t attr, struct why *why);

/* mount_again - mount_clone() of a tree of ours, just as it is */
int mount_again(int dir_fd, const char *path, struct why *why);

/* mount_restrict - set @attr on the mount @tree_fd, and on none below it */
int mount_restrict(int tree_fd, uint64_t attr, struct why *why);

/*
 * mount_same - put the mount of @path at @point, just as it is, but for what is
 * mounted below it
 *
 * Both are relative to the working directory.  One call where mount_again()
 * and mount_put() with their descriptor are three: for places that are ours,
 * where nobody can move what a path means.
 *
 * Returns 0, -ENOENT if @point is not there, or another -errno.
 */
int mount_same(const char *path, const char *point);

/*
 * mount_file - mount_same() of a file, with @attr added and nothing that is
 * mounted on it later
 *
 * In two calls where mount_clone() and mount_put() need four, for files that
 * nobody can have moved.
 */
int mount_file(const char *path, const char *point, uint64_t attr,
	       struct why *why);

/* mount_put - attach @tree_fd at @path relative to @dir_fd ("": itself) */
int mount_put(int tree_fd, int dir_fd, const char *path, struct why *why);

#endif /* CHOCK_TREE_MOUNT_H */
