/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_CLEANPATH_H
#define CHOCK_CALL_CLEANPATH_H

/*
 * cleanpath - paths of calls without "." and doubled slashes, and what is in
 * the project
 *
 * A ".." is not taken away with what is before it, which may be a link to
 * elsewhere: such a path has no clean form.
 */

#include <stdbool.h>

struct buf;

/*
 * cleanpath_add - put a slash and the clean form of @path behind @clean
 *
 * Adds nothing for a directory itself, "/" or ".".  Returns false for a path
 * with "..", of which a part may have been added.
 */
bool cleanpath_add(struct buf *clean, const char *path);

/*
 * cleanpath_below - what of the clean @path is below the directory @above
 *
 * Returns it without a slash in front, or NULL for @above itself and for what
 * is elsewhere.
 */
const char *cleanpath_below(const char *path, const char *above);

/*
 * cleanpath_in - whether the clean @path is one of @directories or below one
 *
 * Behind the last of @directories is a NULL.
 */
bool cleanpath_in(const char *path, const char *const *directories);

#endif /* CHOCK_CALL_CLEANPATH_H */
