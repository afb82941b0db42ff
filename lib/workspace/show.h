/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_SHOW_H
#define CHOCK_WORKSPACE_SHOW_H

/*
 * show - the differences between a session's copy and where it began
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "workspace/inside.h"

struct why;

#define SHOW_DIFF_MAX ((size_t)32 << 20) /* bytes */

/*
 * show_diff - commits and uncommitted changes of tracked files, as git diff
 * shows them; with @stat, a line a file
 *
 * @untracked gets the number of files that git does not track and that are
 * therefore not part of it.
 *
 * Returns 0, -EFBIG if it is longer than SHOW_DIFF_MAX, or another -errno.
 */
int show_diff(struct buf *text, size_t *untracked, const struct inside *inside,
	      bool stat, struct why *why);

#endif /* CHOCK_WORKSPACE_SHOW_H */
