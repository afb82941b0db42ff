/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_SHOWN_H
#define CHOCK_WORKSPACE_SHOWN_H

/*
 * shown - how much of what is asked about is spelt out for a person
 *
 * A question is cut where it is long (chock-ask(1)), and a session chooses how
 * many files and commits it makes.  So they have a number of rows that leaves
 * room for the rest, and where there are more of them it is said how many.
 *
 * Invariants
 *   - What comes out takes SHOWN_ROWS_MAX rows and as many bytes as fit into
 *     them, but for a single name that is longer than that.
 */

#include <stddef.h>

#include "base/buf.h"
#include "workspace/effect.h"
#include "workspace/names.h"

#define SHOWN_ROWS_MAX ((size_t)40)
#define SHOWN_SUBJECT_MAX 200 /* bytes of a commit's first line */

/* shown_rows - how many rows of a terminal of 80 columns @line takes */
size_t shown_rows(struct span line);

/*
 * shown_work - put the first files that @lands changes and the last commits of
 * @work behind @detail
 *
 * @subjects has a line for each of the last commits, the oldest first.  Neither
 * takes more than half of the rows if the other has a use for them.
 */
void shown_work(struct buf *detail, const struct effect *lands,
		const struct effect *work, const struct names *subjects);

#endif /* CHOCK_WORKSPACE_SHOWN_H */
