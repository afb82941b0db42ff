/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_QUESTION_H
#define CHOCK_WORKSPACE_QUESTION_H

/*
 * question - what a person is asked before work is applied, as a record
 *
 * The record carries the whole effect: where from and where to, the commits,
 * the files, and what happens to the working tree.  Its tree is what binds
 * the answer to what was shown.
 */

#include "base/buf.h"
#include "workspace/effect.h"
#include "workspace/inside.h"
#include "workspace/names.h"

struct why;

/* How much of the commits and of the files is spelt out.  A record is one
 * line of at most LINE_MAX_LEN; what is cut is counted and said. */
#define QUESTION_COMMITS_MAX 100
#define QUESTION_SHOWN_MAX ((size_t)128 << 10) /* bytes each */
#define QUESTION_SUBJECT_MAX 200 /* bytes of a commit's first line */

#define autoquestion __attribute__((cleanup(question_drop)))

struct question {
	struct effect effect;
	struct buf reason;   /* why it will be parked; empty: it will land */
	size_t uncommitted;  /* files of the copy that are in no commit */
	struct names others; /* other references that moved */
};

/*
 * question_find - bring the session's work out, and see what it would do
 *
 * With no commit beyond where the session began, effect.commits is 0 and
 * only uncommitted and others are set.
 *
 * Returns 0 or -errno; the workspace is kept as it is.
 */
int question_find(struct question *question, const struct inside *inside,
		  uint64_t pack_max, struct why *why);

/* question_print - the record of @question, put behind @record */
int question_print(struct buf *record, const struct question *question,
		   const struct inside *inside, struct why *why);

/* question_drop - release the memory; good as new afterwards */
void question_drop(struct question *question);

#endif /* CHOCK_WORKSPACE_QUESTION_H */
