/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_WRITTEN_H
#define CHOCK_WORKSPACE_WRITTEN_H

/*
 * written - what is written through does not come to run on the host
 *
 * A session can change the mode of a file that is its user's and that it can
 * write: no mount takes chmod(2) away and leaves write(2).  So what it has been
 * given is noted in its workspace, and loses what lets anybody execute it when
 * the session is over; a change of that kind is one that an apply would ask
 * about apart.
 *
 * Invariants
 *   - The note is there from before the session begins until each file in it
 *     is seen to, and its workspace is not removed before.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "base/span.h"

struct buf;
struct why;

/* The bits by which anybody can execute it. */
#define WRITTEN_EXECUTES ((mode_t)0111)

/* written_add - put behind @note that the session writes to @path, which is
 * @identity, as base/identity writes it */
void written_add(struct buf *note, const char *path, const char *identity);

/* written_save - leave that in the workspace @dir; 0 or -errno */
int written_save(const char *dir, struct span note, struct why *why);

/* Of a @path that was executable: whether it is @mended, and a sentence. */
typedef void written_tell(void *context, const char *path, bool mended,
			  const char *sentence);

/*
 * written_end - take what lets anybody execute them off the files that the
 * session of the workspace @dir could write through
 *
 * None had it when the session began.  What is another file by now, or is not
 * there, was not the session's to write.  @tell, which may be NULL, is called
 * for each that had it.  After one that cannot be mended it goes on, and the
 * note stays.
 *
 * Returns 0, also where nothing was noted, or the first -errno.
 */
int written_end(const char *dir, written_tell *tell, void *context,
		struct why *why);

#endif /* CHOCK_WORKSPACE_WRITTEN_H */
