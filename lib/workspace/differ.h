/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_DIFFER_H
#define CHOCK_WORKSPACE_DIFFER_H

/*
 * differ - the differences between a session's copy and where it began
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "workspace/inside.h"
#include "workspace/names.h"

struct why;

#define DIFFER_MAX ((size_t)32 << 20) /* bytes */

/*
 * differ_show - commits and uncommitted changes of tracked files, as git diff
 * shows them; with @stat, a line a file
 *
 * @untracked gets the number of files that git does not track and that are
 * therefore not part of it.
 *
 * Returns 0, -EFBIG if it is longer than DIFFER_MAX, or another -errno.
 */
int differ_show(struct buf *text, size_t *untracked,
		const struct inside *inside, bool stat, struct why *why);

/*
 * differ_names - the files that differ from where the session began
 *
 * @words gets two for each: git's letter, which is D if it is gone, and the
 * path.  Files that git does not track and does not ignore are among them.
 *
 * Returns 0 or -errno.
 */
int differ_names(struct names *words, const struct inside *inside,
		 struct why *why);

#endif /* CHOCK_WORKSPACE_DIFFER_H */
