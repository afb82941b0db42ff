/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_LOCK_H
#define CHOCK_COW_LOCK_H

/*
 * lock - a directory that is locked for a copy on write, and its clock
 *
 * Whoever holds it has its lock (flock(2)), and nobody else's work waits for
 * it.  Whether something in it was changed since is told by ctimes, which its
 * own file system's clock makes.
 */

#include <stdbool.h>

struct cow;
struct why;

/*
 * lock_take - open the directory @path, for one run at a time
 *
 * Sets path, dir_fd and st of @cow, of which nothing else is set then.
 *
 * Returns 0, -EAGAIN if another one has it, -ENOTDIR, or another -errno.
 */
int lock_take(struct cow *cow, const char *path, struct why *why);

/*
 * lock_refuse_earlier - whether nothing is left of an earlier run
 *
 * With @commits, what never was whole is removed.  Returns 0, -EEXIST or
 * -EXDEV if work waits, or another -errno.
 */
int lock_refuse_earlier(const struct cow *cow, bool commits, struct why *why);

/*
 * lock_read_clock - set since by the clock of the file system
 *
 * That makes and removes a directory in it, so that its ctime changes.
 * Returns 0 or -errno, also where nothing can be written.
 */
int lock_read_clock(struct cow *cow, struct why *why);

/* lock_note_time - set real and boot: it is now */
void lock_note_time(struct cow *cow);

/* lock_set_back - whether our clock was set back since lock_note_time() */
bool lock_set_back(const struct cow *cow);

#endif /* CHOCK_COW_LOCK_H */
