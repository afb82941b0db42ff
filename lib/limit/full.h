/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_FULL_H
#define CHOCK_LIMIT_FULL_H

/*
 * full - whether a file system in memory, whose size is a limit, has no room
 *
 * The kernel refuses a write to it with ENOSPC and tells nobody else.  So it is
 * looked at when the command has failed: what it could not write to is full
 * then, unless somebody has removed files since.
 */

#include <stdbool.h>

struct outcome;

#define FULL_LEFT (64 << 10) /* bytes; of a small one a sixteenth */

/* full_is - whether less than that is left of what @fd is in, or no file is */
bool full_is(int fd);

/* full_failed - whether the command of @outcome ended, and not with status 0 */
bool full_failed(const struct outcome *outcome);

/*
 * full_note_scratch - say in @outcome, whose command failed, if scratch is full
 *
 * For who has the root of a sandbox whose root is a tmpfs of that limit.
 */
void full_note_scratch(struct outcome *outcome);

#endif /* CHOCK_LIMIT_FULL_H */
