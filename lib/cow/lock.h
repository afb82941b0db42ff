/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_LOCK_H
#define CHOCK_COW_LOCK_H

/*
 * lock - a directory that is locked for a copy on write
 *
 * Whoever holds it has its lock (flock(2)), and nobody else's work waits for
 * it.
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

#endif /* CHOCK_COW_LOCK_H */
