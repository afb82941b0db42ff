/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_JOINED_H
#define CHOCK_WORKSPACE_JOINED_H

/*
 * joined - an index of two files, made one of one
 *
 * A split index (git-update-index(1)) has most of its entries in a second file,
 * sharedindex.HASH in the same repository.  The workspace's copy is used with
 * the quarantine's repository and outlives the project's, so it has all of
 * them in itself.
 */

#include "workspace/project.h"
#include "workspace/space.h"

struct why;

/*
 * joined_index - make the workspace's copy of @project's index whole
 *
 * It has just been made, and the quarantine is there.  An index that was whole
 * stays as it is.  Returns 0 or -errno.
 */
int joined_index(const struct space *space, const struct project *project,
		 struct why *why);

#endif /* CHOCK_WORKSPACE_JOINED_H */
