/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_CARRIED_H
#define CHOCK_WORKSPACE_CARRIED_H

/*
 * carried - which uncommitted files of a copy are still as the person's were
 *
 * What was carried along (workspace/carry.h) is in no commit of the copy's
 * either, and is no work of its session's.  The workspace has a list of how
 * each such path was left, by what a file's owner cannot set: its inode and
 * its ctime, inode(7).
 */

#include "workspace/names.h"

struct dirt;
struct space;
struct why;

#define autocarried __attribute__((cleanup(carried_drop)))

struct carried {
	struct names stamps;
	int copy_fd; /* owned; -1: nothing was carried */
};

#define CARRIED_NONE ((struct carried){ .copy_fd = -1 })

/* carried_note - write the list, once @dirt is in the copy and before a sandbox
 * sees that; 0 or -errno */
int carried_note(const struct space *space, const struct dirt *dirt,
		 struct why *why);

/* carried_open - read the list, if there is one; 0 or -errno */
int carried_open(struct carried *carried, const struct space *space,
		 struct why *why);

/* carried_has - whether @path was carried along, and is as it was then */
bool carried_has(const struct carried *carried, const char *path);

/* carried_drop - release it; good as new afterwards */
void carried_drop(struct carried *carried);

#endif /* CHOCK_WORKSPACE_CARRIED_H */
