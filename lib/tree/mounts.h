/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_MOUNTS_H
#define CHOCK_TREE_MOUNTS_H

/*
 * mounts - what is mounted where, read once
 *
 * A path is one name of a place and need not be the only one: the same
 * directory of a file system may be mounted in two places (mount(8), --bind).
 * And below a directory there may be file systems of the kernel's, which say
 * more of the host, and let more of it be changed, than who grants the
 * directory thinks of.  Both can be seen in /proc/self/mountinfo (proc(5)) and
 * nowhere in a path.
 *
 * Invariants
 *   - An all-zero struct knows of no mount.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct why;

#define automounts __attribute__((cleanup(mounts_drop)))

struct mount {
	uint64_t id;
	uint64_t parent; /* the id of what it is mounted on */
	uint64_t attr;   /* MOUNT_ATTR_... of tree/mount.h */
	char *device;    /* owned; MAJOR:MINOR */
	char *root;      /* owned; the directory of the file system shown */
	char *point;     /* owned; where */
	bool kernel;     /* a view of the kernel: proc, sysfs, cgroup2, ... */
	const char *remote; /* its type, if whoever serves it may never answer
			       (a network, FUSE), or NULL; lives for ever */
};

struct mounts {
	struct mount *rows; /* owned */
	size_t count;
};

/*
 * mounts_read - read those of our mount namespace
 *
 * Returns 0, also where there is no procfs to read them from, or -errno.
 */
int mounts_read(struct mounts *mounts, struct why *why);

/*
 * mounts_read_again - read what @fd is open on, a mountinfo, from its start
 *
 * Returns 0 or -errno.
 */
int mounts_read_again(struct mounts *mounts, int fd, struct why *why);

/*
 * mounts_alias - another name of @path, an absolute one without links
 *
 * @index counts them from 0.  A name of something inside of @path counts as
 * well.  Returns a string that the caller frees, NULL when there are no more.
 */
char *mounts_alias(const struct mounts *mounts, const char *path, size_t index);

/* mounts_drop - release it; good as new afterwards */
void mounts_drop(struct mounts *mounts);

#endif /* CHOCK_TREE_MOUNTS_H */
