/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_LAND_H
#define CHOCK_COW_LAND_H

/*
 * land - what is staged, put in place: all of it or nothing
 *
 * Each operation moves what it replaces into the stage and what is staged into
 * its place, by one rename(2) or two, below descriptors and never through a
 * link.  What was moved away is looked at once more, for it cannot be changed
 * by its path any longer: if it is not what the journal knows, everything is
 * moved back.
 *
 * Where an operation stands can be seen from the numbers of the inodes, which
 * a rename keeps.  So the same call begins a commit, goes on with one that
 * was cut off at any instant, and tries one again that was undone.
 */

#include <stdbool.h>

#include "cow/journal.h"

struct why;

struct land {
	struct journal *journal; /* borrowed */
	int dir_fd;              /* borrowed; what it lands in */
	int stage_fd;            /* borrowed */
	bool force;              /* also over what was changed from outside */
};

/*
 * land_all - put everything in place
 *
 * Returns 0; -ESTALE if something was changed from outside, which @why names,
 * or another -errno: then everything is as it was before, and the stage is
 * whole, with a journal of how things are now.  -ENOTRECOVERABLE if it could
 * not be put back, which is for another call to try.
 */
int land_all(const struct land *land, struct why *why);

/*
 * land_undo - put back whatever is in place
 *
 * Returns 0, or -ENOTRECOVERABLE.
 */
int land_undo(const struct land *land, struct why *why);

#endif /* CHOCK_COW_LAND_H */
