/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_DIFFER_H
#define CHOCK_WORKSPACE_DIFFER_H

/*
 * differ - the differences between a session's copy and where it began
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "workspace/inside.h"
#include "workspace/names.h"

struct why;

#define DIFFER_MAX ((size_t)32 << 20) /* bytes */
#define DIFFER_NAMED "8m" /* bytes of a file, of a larger one it has the name */

#define autodiffer_left __attribute__((cleanup(differ_left_drop)))

/* What is not part of a diff. */
struct differ_left {
	struct names odd; /* where a file was, and now a FIFO, socket or device
			   * is, of which git has no diff */
};

/*
 * differ_show - what a session changed, as git diff shows it; with @stat, a
 * line a file
 *
 * In parts, each with a heading that begins with "# ", as no line of a diff
 * does: the commits that the last question was about, made of the objects that
 * its answer is about; those that there are by now beyond these; what the files
 * have that is in none; other branches and tags; and last, what the project has
 * already.  No configuration, attribute, filter or index of the copy has a say
 * in it.  With a part that would make it longer than DIFFER_MAX large files
 * are only named, smaller ones where that is not enough, and at last there is
 * a line a file.  One that a question would refuse, or that is too much still,
 * is one line that says so.
 *
 * Returns 0 or -errno.
 */
int differ_show(struct buf *text, struct differ_left *left,
		const struct inside *inside, bool stat, struct why *why);

/*
 * differ_names - the files that differ from where the session began
 *
 * @words gets two for each: git's letter, which is D if it is gone, and the
 * path.  Files that git does not track and does not ignore are among them.
 *
 * Returns 0 or -errno.
 */
int differ_names(struct names *words, const struct inside *inside,
		 struct why *why);

/* differ_left_drop - release the memory; good as new afterwards */
void differ_left_drop(struct differ_left *left);

#endif /* CHOCK_WORKSPACE_DIFFER_H */
