/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_STAY_H
#define CHOCK_TREE_STAY_H

/*
 * stay - mounts that must stay where they are until the command ends
 *
 * What is hidden, and what is granted for less than the directory that it is
 * in, is held by a mount on a file or directory of the host's.  The kernel
 * takes such a mount away in every namespace when somebody outside removes
 * that file or renames another over it (detach_mounts), and has it go along
 * when the file, or a directory on the way to it, is renamed.  In both cases
 * what is at the path then is what is granted above it.  The first changes the
 * table of mounts, which poll(2) tells of; the second is told by inotify(7).
 *
 * Invariants
 *   - Without places, nothing is open and nothing is waited for.
 *   - Where there is no procfs at all, there are no places.
 *   - It ends with the process: nothing lets go of a place before.
 */

#include <stdbool.h>
#include <stddef.h>

struct why;

struct stay_place {
	char *path;     /* owned; inside, physical */
	const char *by; /* borrowed; who wants it, for messages */
};

struct stay {
	int root_fd;               /* borrowed; of the tree that is built */
	int proc_fd;               /* owned; the host's /proc/self */
	int moves_fd;              /* owned; an inotify, -1 without places */
	int table_fd;              /* owned; mountinfo, from stay_enter() on */
	struct stay_place *places; /* owned */
	size_t count;
	bool doubtful; /* by stay_enter(): one may be gone already */
};

#define STAY_CLOSED                     \
	((struct stay){ .root_fd = -1,  \
			.proc_fd = -1,  \
			.moves_fd = -1, \
			.table_fd = -1 })

/*
 * stay_put - mount @tree_fd on @point_fd, and have it held for @by
 *
 * Both are below stay->root_fd.  What the caller may not read is held without
 * the part of inotify.
 *
 * Returns 0, or -errno; -ENOENT if what is at @point_fd is being replaced.
 */
int stay_put(struct stay *stay, int tree_fd, int point_fd, const char *by,
	     struct why *why);

/*
 * stay_enter - from now on nothing is missed; the tree is the caller's root
 *
 * Whether all were in their places until now is in stay->doubtful.
 */
int stay_enter(struct stay *stay, struct why *why);

/*
 * stay_check - whether all are in their places; it may be asked at any time
 *
 * Returns 0, or -ESTALE with the first that is not in @why, or -errno where
 * that cannot be told.
 */
int stay_check(const struct stay *stay, struct why *why);

#endif /* CHOCK_TREE_STAY_H */
