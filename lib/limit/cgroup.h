/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_CGROUP_H
#define CHOCK_LIMIT_CGROUP_H

/*
 * cgroup - a cgroup of version 2 that one sandbox is born in and ends with
 *
 * It is made where somebody left us a place for it: in our own cgroup or the
 * nearest one above whose children have the controllers, and which is ours to
 * write.  Controllers are never enabled here, nor is a process moved: what has
 * no such place gets no cgroup.  See cgroups(7) and the kernel's
 * Documentation/admin-guide/cgroup-v2.rst, "Delegation".
 *
 * Invariants
 *   - Who goes above its own cgroup takes along what that one is limited to.
 *   - A cgroup of ours is locked (flock(2)) for as long as chock-spawn lives;
 *     one that is not locked, and empty, is somebody's who died, and goes;
 *     by its name no other is touched.
 *   - A cgroup of the caller's is neither written nor read.
 */

#include <stdbool.h>
#include <stdint.h>

#include "spec/limits.h"

struct exceeded;
struct why;

#define CGROUP_PREFIX "chock-"
#define CGROUP_ID_LEN 16 /* hexadecimal digits behind it, and nothing else */
#define CGROUP_NAME_ROOM 32
#define CGROUP_SWEEP_MAX 64 /* of the dead that go at one start */
#define CGROUP_WAIT_MS 1000 /* for what was killed to be gone, at the end */

struct cgroup {
	int fd;         /* owned; what a sandbox is born in; -1: none */
	int above_fd;   /* owned; where it was made; -1: it is the caller's */
	uint32_t held;  /* LIMIT_BIT()s of what it was set to hold */
	bool swap_free; /* the kernel does not count what is swapped out */
	char name[CGROUP_NAME_ROOM];
};

#define CGROUP_CLOSED ((struct cgroup){ .fd = -1, .above_fd = -1 })

/*
 * cgroup_make - make one that holds @limits, as far as cgroups hold any
 *
 * What the dead left there goes, by cgroup_sweep().
 *
 * Returns 0, -ENOENT where no cgroup of version 2 is in use or none near us
 * has the controllers, -EACCES or -EROFS where those that have are not ours, or
 * another -errno; nothing is left behind then.
 */
int cgroup_make(struct cgroup *cgroup, const struct limits *limits,
		struct why *why);

/*
 * cgroup_sweep - remove what is beside @cgroup, named like it, and dead
 *
 * That is what nobody holds a lock on and nothing is in.
 */
void cgroup_sweep(const struct cgroup *cgroup);

/*
 * cgroup_take - use the caller's, which is open as @fd and stays theirs
 *
 * Returns 0, or -EINVAL if @fd is no directory of cgroup v2.
 */
int cgroup_take(struct cgroup *cgroup, int fd, struct why *why);

/*
 * cgroup_explain - say in @why what @errnum means of a birth in @cgroup
 *
 * Returns whether it was the cgroup's fault, or may have been.
 */
bool cgroup_explain(const struct cgroup *cgroup, int errnum, struct why *why);

/* cgroup_read - add to @exceeded what the kernel did to what was in it */
void cgroup_read(const struct cgroup *cgroup, struct exceeded *exceeded);

/* cgroup_close - end what is in it, if it is ours, and remove it */
void cgroup_close(struct cgroup *cgroup);

#endif /* CHOCK_LIMIT_CGROUP_H */
