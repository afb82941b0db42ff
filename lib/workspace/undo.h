/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_UNDO_H
#define CHOCK_WORKSPACE_UNDO_H

/*
 * undo - the files and the index of a project, put back after half an apply
 *
 * Only what is byte for byte what the apply put there is removed, and the one
 * file at most that it was writing; only what is not there is written.  All
 * else is left, and named.  No symbolic link is followed below the project.
 *
 * Invariants
 *   - The index is locked by the caller.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "workspace/effect.h"
#include "workspace/intent.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

struct undone {
	size_t left;     /* how many are left as they are */
	bool index;      /* the index is, too */
	bool begun;      /* files were changed: else nobody but others did */
	struct buf what; /* the first file of them */
};

#define autoundone __attribute__((cleanup(undone_drop)))

/* What is to land, and where. */
struct landing {
	const struct space *space;
	const struct project *project;
	const struct effect *effect;
};

/* undo_apply - put back what @landing changed; returns 0 or -errno */
int undo_apply(struct undone *undone, const struct intent *intent,
	       const struct landing *landing, struct why *why);

/* undone_say - put what is left, if anything, behind the sentence @what */
void undone_say(const struct undone *undone, struct buf *what);

/* undone_drop - release the memory; good as new afterwards */
void undone_drop(struct undone *undone);

#endif /* CHOCK_WORKSPACE_UNDO_H */
