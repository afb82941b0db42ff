/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_JOURNAL_H
#define CHOCK_WORKSPACE_JOURNAL_H

/*
 * journal - what an apply is about to do, so that one that is cut off shows
 *
 * The file journal of a workspace is on the disk before the project is written
 * and gone when the apply ended, well or not.  It is locked by who applies,
 * and by each git that it starts to change the project: as long as one of
 * these lives the lock is held, and nobody takes a living apply for a dead one.
 *
 * Invariants
 *   - None of the locks of git that an apply takes was there when the journal
 *     was written, so that one that is there afterwards came later.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "workspace/effect.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

struct journal {
	int fd;          /* owned; -1: none */
	struct buf from; /* where the branch was */
	struct buf to;   /* where it was to go */
	struct buf work; /* the session's own commit */
};

#define JOURNAL_CLOSED ((struct journal){ .fd = -1 })
#define autojournal __attribute__((cleanup(journal_close)))

/* journal_locks - the files by which git locks what an apply changes */
void journal_locks(struct names *paths, const struct space *space,
		   const struct project *project);

/*
 * journal_begin - write down that @landed, of the work @to, is about to land
 *
 * Returns 0, -EAGAIN while another apply goes on, -EEXIST if one was cut off,
 * or another -errno.
 */
int journal_begin(struct journal *journal, const struct space *space,
		  const struct effect *landed, struct span to, struct why *why);

/*
 * journal_open - that of an apply which was cut off
 *
 * Returns 1, 0 if there is none, -EAGAIN while the apply goes on, or another
 * -errno.  One that is not whole was of an apply that had not begun, and has
 * nothing in it.
 */
int journal_open(struct journal *journal, const struct space *space,
		 struct why *why);

/* journal_end - the apply ended: remove the file; returns 0 or -errno */
int journal_end(struct journal *journal, const struct space *space,
		struct why *why);

/* journal_close - let go of it, and leave the file */
void journal_close(struct journal *journal);

#endif /* CHOCK_WORKSPACE_JOURNAL_H */
