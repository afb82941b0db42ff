/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_LAND_H
#define CHOCK_WORKSPACE_LAND_H

/*
 * land - a session's work, put into the project after a yes
 *
 * First the objects, then refs/chock/SESSION, so that whatever happens next
 * the work is there; then, if nothing speaks against it, the branch that is
 * checked out and its files.  For the last step HEAD and branch are locked,
 * the files are compared once more, git itself refuses to overwrite what
 * differs from the index, and only then the branch moves.
 */

#include "base/buf.h"
#include "workspace/course.h"
#include "workspace/effect.h"
#include "workspace/intent.h"
#include "workspace/project.h"
#include "workspace/space.h"
#include "workspace/undo.h"

struct why;

/*
 * land_pack - put the objects of the pack file @pack_fd into the project
 *
 * It is checked once more, now against the project's own objects.  Returns 0 or
 * -errno.
 */
int land_pack(const struct space *space, const struct project *project,
	      int pack_fd, struct why *why);

/*
 * land_keep - the objects and refs/chock/SESSION
 *
 * Returns 0 or -errno.
 */
int land_keep(const struct space *space, const struct project *project,
	      const struct effect *effect, struct why *why);

/*
 * land_bring - the objects of a commit that was made of the work
 *
 * It is in the quarantine, and everything that it does not bring itself is in
 * the project.  Returns 0 or -errno.
 */
int land_bring(const struct space *space, const struct project *project,
	       const struct course *course, struct why *why);

/*
 * land_move - move the branch on, and the files that are checked out
 *
 * @reason gets what spoke against it; then nothing was moved, or all of it was
 * put back.  Where that failed too, @intent is to stay.
 *
 * Returns 0 or -errno.
 */
int land_move(struct buf *reason, struct intent *intent,
	      const struct landing *landing, struct why *why);

#endif /* CHOCK_WORKSPACE_LAND_H */
