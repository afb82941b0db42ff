/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_LOOK_H
#define CHOCK_WORKSPACE_LOOK_H

/*
 * look - what a session's copy claims to have come to
 *
 * A sandbox takes longer to make than git takes to answer, so that all of it is
 * asked in one: where the branch is, which other references moved, what is in
 * no commit, and the pack of what is.  It is still a claim and no more, see
 * workspace/inside.h.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "workspace/inside.h"
#include "workspace/names.h"

struct why;

#define autolook __attribute__((cleanup(look_drop)))

struct look {
	/* the commit that the copy claims to be at, which is its branch of the
	 * project's branch's name, or its HEAD if the project has none; empty:
	 * there is no commit yet */
	struct buf tip;
	struct names others; /* references that are new or moved, but for it */
	struct names moved;  /* the same, but for HEAD, as "OBJECT NAME" */
	size_t uncommitted;  /* files that are in no commit, but for the
			      * person's own that came along */
};

/*
 * look_inside - ask the copy
 *
 * Where its tip is another one than the session began at, what it needs beyond
 * that is written to the session's pack file, at most @pack_max bytes.
 *
 * Returns 0; -EBADMSG if what it answers is no answer, -EFBIG if it is too
 * much of one, or another -errno as inside_run() does.
 */
int look_inside(struct look *look, const struct inside *inside,
		uint64_t pack_max, struct why *why);

/* look_drop - release the memory; good as new afterwards */
void look_drop(struct look *look);

#endif /* CHOCK_WORKSPACE_LOOK_H */
