/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_COURSE_H
#define CHOCK_WORKSPACE_COURSE_H

/*
 * course - the commit that a branch would move to, made in the quarantine
 *
 * Where the branch is still at the commit that the session began at there is
 * nothing to make but for a squash: it goes forward to the session's own
 * commit.  Else the work is merged, replayed or squashed onto where the branch
 * is now, by git merge-tree, which needs no index and no working tree.
 *
 * Invariants
 *   - Nothing is written but objects in the quarantine.
 *   - The same work, way and branch make the same tree, whenever they do.
 */

#include "base/buf.h"
#include "workspace/effect.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

/* Commits that are replayed at most; each takes a few calls of git. */
#define COURSE_REPLAY_MAX 500

enum course_way {
	COURSE_MERGE,
	COURSE_REBASE,
	COURSE_SQUASH,
	COURSE_ASK,  /* which of the three is asked */
	COURSE_PARK, /* none: the work stays at its reference */
	COURSE_WAYS,
};

struct course {
	enum course_way way;
	struct buf onto;   /* where the branch is; empty: it has no commit */
	struct buf commit; /* what it would move to; empty: see reason */
	struct buf reason; /* why that cannot be made */
};

/* course_word - what @way is called in options and policies */
const char *course_word(enum course_way way);

/* course_way_of - the way that @word calls, or COURSE_WAYS */
enum course_way course_way_of(const char *word);

/*
 * course_make - make what moves a branch from @course's onto to the work of
 * @effect, in its way, which is one of the first three
 *
 * Returns 0, with commit or reason filled, or -errno.
 */
int course_make(struct course *course, const struct space *space,
		const struct project *project, const struct effect *effect,
		struct why *why);

/* course_drop - release the memory; good as new afterwards */
void course_drop(struct course *course);

#endif /* CHOCK_WORKSPACE_COURSE_H */
