/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_BEFORE_H
#define CHOCK_COW_BEFORE_H

/*
 * before - the names that were in a directory when a layer of it began
 *
 * A layer does not tell a new file from one that took the place of another: an
 * overlay keeps both as a file and no more.  Where nothing is below it now,
 * what is asked is whether somebody removed it from there meanwhile.  All names
 * are written down for that, and of what they name nothing.
 *
 * Invariants
 *   - What is not known counts as there: who asks then takes nothing for new
 *     that may be something that a person removed.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* More than these, or than a survey goes through, are not written down. */
#define BEFORE_BYTES_MAX ((size_t)32 << 20)

struct before {
	const char *path; /* borrowed; where they are written down */
	bool read;        /* whoever asked first had them read */
	bool known;
	struct buf bytes;
	const char **names; /* owned; sorted; into bytes */
	size_t count;
};

#define autobefore __attribute__((cleanup(before_drop)))

/*
 * before_list - put all names below the directory @path behind @names, each a
 * relative path with a NUL behind it
 *
 * Returns 0, -E2BIG if there are more than are written down, or another
 * -errno.
 */
int before_list(struct buf *names, const char *path);

/* before_has - whether @path was there, or is not known not to have been */
bool before_has(struct before *before, const char *path);

/* before_drop - release them; good as new afterwards, without a path */
void before_drop(struct before *before);

#endif /* CHOCK_COW_BEFORE_H */
