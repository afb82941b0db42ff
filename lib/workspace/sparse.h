/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_SPARSE_H
#define CHOCK_WORKSPACE_SPARSE_H

/*
 * sparse - a project that has some files of its commit, by patterns
 *
 * A copy of it has the same patterns, and so the same files.  On the way back
 * git goes by them as well, so that a working tree gets no file that it is
 * meant not to have; and as one that no longer is what its patterns say would
 * be made so at the same time, work waits there.
 *
 * In the workspace, beside the copy:
 *
 *	sparse         the patterns that the copy was made by; empty: none
 *	index-sparse   an index, while it is looked at
 *	nowhere/       a working tree for it, with no file in it
 */

#include "base/buf.h"
#include "workspace/obstacle.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

/* sparse_keep - write down what the copy is made by; 0 or -errno */
int sparse_keep(const struct space *space, const struct project *project,
		struct why *why);

/*
 * sparse_obstacle - put into @reason that other patterns hold by now, that a
 * change is of a file that they leave out, or that the project does not have
 * the files that they say
 *
 * The workspace's copy of the index is the one that dirt_find() made, and no
 * file is changed against it.  Returns 0 or -errno.
 */
int sparse_obstacle(struct buf *reason, const struct landing *landing,
		    struct why *why);

#endif /* CHOCK_WORKSPACE_SPARSE_H */
