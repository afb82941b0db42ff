/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_PROPOSAL_H
#define CHOCK_WORKSPACE_PROPOSAL_H

/*
 * proposal - what a person is asked before work is applied, as a record
 *
 * The record carries the whole effect: where from and where to, the commits,
 * the files, and what happens to the working tree.  Its tree is what binds
 * the answer to what was shown.
 */

#include "base/buf.h"
#include "workspace/also.h"
#include "workspace/course.h"
#include "workspace/dirt.h"
#include "workspace/effect.h"
#include "workspace/inside.h"
#include "workspace/names.h"

struct why;

/* How much of the files is spelt out for programs.  A record is one line of at
 * most LINE_MAX_LEN; what is cut is counted. */
#define PROPOSAL_SHOWN_MAX ((size_t)128 << 10) /* bytes each */

#define autoproposal __attribute__((cleanup(proposal_drop)))

struct proposal {
	struct course course;
	struct effect effect; /* of the session's own commits */
	struct effect landed; /* of what was made of them; without: effect */
	struct buf reason;    /* why it will be parked; empty: it will land */
	size_t uncommitted;   /* files of the copy that are in no commit */
	struct names others;  /* other references that moved, but for: */
	struct also also;     /* those that are kept in the project as well */
	struct dirt dirt;     /* of the project, once it was looked at */
	bool unlooked;        /* it is not to be: land_move() looks anyway */
};

/* proposal_lands - what the project's files would be changed by */
static inline struct effect *proposal_lands(struct proposal *proposal)
{
	return proposal->landed.to.len ? &proposal->landed : &proposal->effect;
}

/* proposal_asks - whether there is anything to ask about */
static inline bool proposal_asks(const struct proposal *proposal)
{
	return proposal->effect.commits || proposal->also.refs.count;
}

/*
 * proposal_plan - see how the work of @proposal would go into the branch
 *
 * The effect is there, the course's way is set, and its onto if the branch is
 * to be held against another commit than the one that it is at.  What speaks
 * against it is put into reason.  A course that was made before is forgotten.
 *
 * Returns 0 or -errno.
 */
int proposal_plan(struct proposal *proposal, const struct space *space,
		  const struct project *project, struct why *why);

/*
 * proposal_find - bring the session's work out, and see what it would do
 *
 * With no commit beyond where the session began, effect.commits is 0 and
 * only uncommitted, others and also are set.
 *
 * Returns 0 or -errno; the workspace is kept as it is.
 */
int proposal_find(struct proposal *proposal, const struct inside *inside,
		  uint64_t pack_max, struct why *why);

#define PROPOSAL_PARKED "parked"

/* proposal_landing - what becomes of it in a word: of a way, fast-forward, or
 * PROPOSAL_PARKED */
const char *proposal_landing(const struct proposal *proposal);

/* proposal_print - the record of @proposal, put behind @record */
int proposal_print(struct buf *record, struct proposal *proposal,
		   const struct inside *inside, struct why *why);

/* proposal_drop - release the memory; good as new afterwards */
void proposal_drop(struct proposal *proposal);

#endif /* CHOCK_WORKSPACE_PROPOSAL_H */
