/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_AMONG_H
#define CHOCK_WORKSPACE_AMONG_H

/*
 * among - the few places at which a copy over others' files can differ
 *
 * What a session wrote to such a copy is in its layer, and all other files are
 * those that it began with.  So git need not look at each of them again.
 */

#include <stdbool.h>

struct buf;
struct space;

/* Of more than these git looks at all as fast as at each. */
#define AMONG_MAX ((size_t)256)

/*
 * among_find - put the paths into @paths, a NUL behind each
 *
 * A path may be of a directory, for all that is in it; the copy's repository is
 * not among them.
 *
 * Returns whether these are all: false if there are more than AMONG_MAX, or if
 * it cannot be told.
 */
bool among_find(struct buf *paths, const struct space *space);

#endif /* CHOCK_WORKSPACE_AMONG_H */
