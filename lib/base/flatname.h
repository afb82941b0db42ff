/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_FLATNAME_H
#define CHOCK_BASE_FLATNAME_H

/*
 * flatname - a path, as the name of a single file
 *
 * Letters, digits and "._-" stand for themselves, but for one of these three
 * at the beginning; any other byte is %XX, with upper-case digits.
 *
 * Invariants
 *   - A name has no slash, is not hidden, and is neither "." nor "..".
 *   - One path has one name, and one name is of one path.
 */

#include "base/span.h"

struct buf;

/* That a name of %XX alone fits NAME_MAX, 255 bytes, limits.h(0p). */
#define FLATNAME_PATH_MAX ((size_t)80)

/* flatname_add - put the name of @path, which has no NUL, behind @name */
void flatname_add(struct buf *name, struct span path);

/* flatname_path - put the path that @name is of behind @path; 0, or -EINVAL if
 * it is of none, and then @path stays as it was */
int flatname_path(struct buf *path, struct span name);

#endif /* CHOCK_BASE_FLATNAME_H */
