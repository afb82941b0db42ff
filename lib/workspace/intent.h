/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_INTENT_H
#define CHOCK_WORKSPACE_INTENT_H

/*
 * intent - the journal of an apply: what it is about to do, so that one that is
 * cut off shows
 *
 * The file journal of a workspace is on the disk before the project is written
 * and gone when the apply ended, well or not.  It is locked by who applies,
 * and by each git that it starts to change the project: as long as one of
 * these lives the lock is held, and nobody takes a living apply for a dead one.
 *
 * Its first line says which commit is about to land, or that other branches and
 * tags alone are kept, which is all of it then.  The second is written
 * once nothing stands in the way any more and HEAD, the branch and the index
 * are locked, just before the first file is touched, and says by which files
 * they are locked.  Without it no file and no index was touched.
 */

#include <stdbool.h>
#include <time.h>

#include "base/buf.h"
#include "workspace/effect.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

struct intent {
	int fd;          /* owned; -1: none */
	struct buf from; /* where the branch was */
	struct buf to;   /* where it was to go */
	struct buf work; /* the session's own commit */
	bool also;       /* nothing lands: other branches and tags alone */
	bool files;      /* files may have been touched */
	bool keep;       /* they could not be put back: the file stays */
	struct buf head; /* marks of the locks of HEAD and the branch */
	struct buf branch;
	struct timespec since; /* when it was written last */
};

#define INTENT_CLOSED ((struct intent){ .fd = -1 })
#define autointent __attribute__((cleanup(intent_close)))

/* intent_locks - the files by which git locks what an apply changes */
void intent_locks(struct names *paths, const struct space *space,
		  const struct project *project);

/*
 * intent_begin - write down that @landed, of the work @to, is about to land
 *
 * Where @landed is NULL only references of other branches are to be written.
 *
 * Returns 0, -EAGAIN while another apply goes on, -EEXIST if one was cut off,
 * or another -errno.
 */
int intent_begin(struct intent *intent, const struct space *space,
		 const struct effect *landed, struct span to, struct why *why);

/*
 * intent_files - write down that from now on files are touched
 *
 * HEAD and the branch are locked.  Returns 0 or -errno.
 */
int intent_files(struct intent *intent, const struct space *space,
		 const struct project *project, struct why *why);

/* intent_mark - what tells the file @path from one that is made there later;
 * nothing if there is none */
void intent_mark(struct buf *mark, const char *path);

/*
 * intent_open - that of an apply which was cut off
 *
 * Returns 1, 0 if there is none, -EAGAIN while the apply goes on, -EBADMSG if
 * a whole line of it is not one of ours, or another -errno.  A first line that
 * is not whole was of an apply that had not begun: nothing is set then.
 */
int intent_open(struct intent *intent, const struct space *space,
		struct why *why);

/*
 * intent_take - take what the lines @text of a journal say
 *
 * What of it is no whole line had not begun, or was not to be touched yet:
 * then nothing is set, or files is not.  What is set are whole ids; from may be
 * empty, of a branch that had no commit.  Where also is set nothing else is.
 *
 * Returns 0 or -EBADMSG.
 */
int intent_take(struct intent *intent, struct span text, struct why *why);

/* intent_there - whether @space has one; 1, 0 or -errno */
int intent_there(const struct space *space);

/* intent_end - the apply ended: remove the file; returns 0 or -errno */
int intent_end(struct intent *intent, const struct space *space,
	       struct why *why);

/* intent_close - let go of it, and leave the file */
void intent_close(struct intent *intent);

#endif /* CHOCK_WORKSPACE_INTENT_H */
