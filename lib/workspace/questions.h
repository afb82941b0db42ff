/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_QUESTIONS_H
#define CHOCK_WORKSPACE_QUESTIONS_H

/*
 * questions - what is asked before workspace.apply, each as a record
 *
 * Two kinds of change have questions of their own, workspace.policy and
 * workspace.protected: a change of the policy by which the next session is
 * held, and one of what runs later on the host.  A record lists the paths that
 * it is about, so that rules can tell them apart, and says of each why it is
 * among them.  What runs by itself comes first, and of that a record has no
 * more than a person is shown; of what only can be executed it says how much
 * there is in which directory where the rows do not last.
 */

#include "base/buf.h"
#include "base/span.h"
#include "workspace/effect.h"
#include "workspace/elsewhere.h"

/* As many files as one record is about; more are asked about in the next. */
#define QUESTIONS_FILES_MAX 200
#define QUESTIONS_BYTES_MAX ((size_t)32 << 10) /* of their names */

/* Rows of a terminal that the files of one record take, before what is counted
 * only, and of that. */
#define QUESTIONS_ROWS_MAX ((size_t)40)
#define QUESTIONS_COUNTS_MAX 8

/* Whose work they are about. */
struct questions_of {
	struct span session;      /* borrowed */
	const char *dir;          /* borrowed; its workspace */
	enum elsewhere_kind kind; /* what that is of */
};

/* questions_print - put the records about the work @of a session, a line each,
 * behind @records */
void questions_print(struct buf *records, const struct effect *effect,
		     const struct questions_of *of);

#endif /* CHOCK_WORKSPACE_QUESTIONS_H */
