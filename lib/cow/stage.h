/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_STAGE_H
#define CHOCK_COW_STAGE_H

/*
 * stage - the directory in which a commit is made ready, and can be kept
 *
 *	owner      whose it is, a line; not there if it is a run's own
 *	journal    what is to be done; not there until all is staged
 *	new-N      what operation N of the journal puts in place
 *	old-N      what it took away
 *
 * Invariants
 *   - Where there is a journal, everything that it speaks of is on the disk.
 *   - Nothing outside of the stage has been touched before.
 */

#include "cow/journal.h"
#include "cow/layerdiff.h"

#define STAGE_NAME_MAX 32 /* bytes of a name in it */
#define STAGE_JOURNAL "journal"
#define STAGE_OWNER "owner"
#define STAGE_OWNER_MAX ((size_t)256) /* bytes of it */

struct buf;

/* stage_new - the name of what operation @index puts in place */
const char *stage_new(char name[STAGE_NAME_MAX], size_t index);

/* stage_old - the name of what operation @index took away */
const char *stage_old(char name[STAGE_NAME_MAX], size_t index);

/*
 * stage_make - make the directory @name in @in_fd, empty, the caller's alone
 *
 * Returns its descriptor, -EEXIST, or another -errno.
 */
int stage_make(int in_fd, const char *name, struct why *why);

/*
 * stage_open - open the directory @name in @in_fd
 *
 * Returns its descriptor, -ENOENT if there is none, -EPERM if it is not the
 * caller's own directory, or another -errno.
 */
int stage_open(int in_fd, const char *name, struct why *why);

/*
 * stage_set_owner - say whose @stage_fd is, in which nothing is so far
 *
 * @owner has no newline.  Returns 0 or -errno.
 */
int stage_set_owner(int stage_fd, const char *owner, struct why *why);

/*
 * stage_owner - put whose the stage @name in @in_fd is into @owner
 *
 * That stays empty if the stage does not say.  Returns 0 or -errno.
 */
int stage_owner(struct buf *owner, int in_fd, const char *name,
		struct why *why);

/*
 * stage_is_whole - whether the stage @name in @in_fd has a journal
 *
 * Without one it was cut off, before anything was touched or after everything
 * was done.
 *
 * Returns 1, 0, -ENOENT if there is no such stage, or another -errno as
 * stage_open() does.
 */
int stage_is_whole(int in_fd, const char *name, struct why *why);

/*
 * stage_fill - copy what changed in the layer of @diff into @stage_fd
 *
 * Its change() is not called.  The journal is on the disk, with all that it
 * speaks of, when this returns 0.
 *
 * Returns 0 or -errno; what was copied until then is left for the caller.
 */
int stage_fill(struct journal *journal, int stage_fd,
	       const struct layerdiff *diff, struct why *why);

/*
 * stage_copy - copy the stage @from_fd, with @journal, into @stage_fd, which
 * is on another file system; otherwise as stage_fill()
 */
int stage_copy(struct journal *journal, int stage_fd, int from_fd,
	       struct why *why);

/*
 * stage_again - write @journal anew, as of now by the clock of @stage_fd
 *
 * For what was begun and is undone; 0 or -errno.
 */
int stage_again(struct journal *journal, int stage_fd, struct why *why);

/* stage_read - read the journal of @stage_fd; -ENOENT if there is none */
int stage_read(struct journal *journal, int stage_fd, struct why *why);

/*
 * stage_remove - remove the stage @name in @in_fd, journal first
 *
 * Whatever was put in place stays, and is made to last before.
 */
int stage_remove(int in_fd, const char *name, struct why *why);

#endif /* CHOCK_COW_STAGE_H */
