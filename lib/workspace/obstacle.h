/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_OBSTACLE_H
#define CHOCK_WORKSPACE_OBSTACLE_H

/*
 * obstacle - what speaks against moving a project's branch and files
 *
 * A branch moves to a commit that descends from it, the session's own or one
 * that was made of it (course.h), over a clean tree, or not at all.
 * Whatever stands in the way is found here, and named for the person.
 */

#include "base/buf.h"
#include "workspace/effect.h"
#include "workspace/project.h"
#include "workspace/space.h"
#include "workspace/undo.h"

struct dirt;
struct why;

/*
 * obstacle_branch - why the project's branch is none that the work can go into
 *
 * @reason stays empty if it is.
 */
void obstacle_branch(struct buf *reason, const struct space *space,
		     const struct project *project);

/*
 * obstacle_find - the first thing in the way, as a short sentence
 *
 * The effect is that of landing: from is where the branch has to be.  The
 * working tree is looked at unless @dirt has been found, and not at all if it
 * is NULL.  @reason stays empty if there is nothing.  Returns 0 or -errno.
 */
int obstacle_find(struct buf *reason, const struct landing *landing,
		  struct dirt *dirt, struct why *why);

#endif /* CHOCK_WORKSPACE_OBSTACLE_H */
