/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_BINDS_H
#define CHOCK_WORKSPACE_BINDS_H

/*
 * binds - what git ignores, carried into a session's copy and back
 *
 * Something of the project is copied into the copy before a session begins,
 * and noted: each name with its type, mode, inode and time of change, which no
 * program can set (inode(7), ctime).  Afterwards what differs from the note is
 * gathered into an upper layer as an overlay keeps it (cow/layerdiff.h), and
 * lands as that does.
 *
 * Invariants
 *   - No link is followed, in the project or in the copy.
 *   - What is noted was copied by us: what a session made has another inode or
 *     another time.
 *   - A layer never has a mode for a directory that is in the project.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/identity.h"

struct buf;
struct span;
struct why;

#define BINDS_NAMES_MAX ((size_t)400000)  /* files and directories of one */
#define BINDS_NOTE_MAX ((size_t)48 << 20) /* bytes of all notes */

/* What there is to carry. */
struct binds_size {
	size_t names;
	uint64_t bytes;
};

/* What @path was when it was judged. */
struct binds_judged {
	struct stat st;
	struct identity is;
};

/*
 * binds_judge - look at the file or directory @path below @root_fd
 *
 * What is found out is of one file, whatever happens to the path.
 *
 * Returns 0, -ENOENT if nothing is there, -ELOOP for a link, also on the way,
 * -EXDEV for one that leaves the directory, -EINVAL for what is neither or
 * ends in "." or "..", or another -errno.
 */
int binds_judge(struct binds_judged *judged, int root_fd, const char *path,
		struct why *why);

/* binds_measure - how much @path is; 0, -E2BIG, or another -errno */
int binds_measure(struct binds_size *size, int root_fd, const char *path,
		  struct why *why);

/* What is left out of a copy; the path is relative to the project. */
struct binds_hidden {
	bool (*skips)(void *context, const char *path);
	void *context; /* borrowed */
};

/* binds_hides - whether a copy would leave out any of @path; where it cannot
 * all be looked through it counts as one that does */
bool binds_hides(int root_fd, const char *path,
		 const struct binds_hidden *hidden);

/*
 * binds_copy - copy @path from @root_fd to @copy_fd, where it must not be
 *
 * Returns 0, -EEXIST, or another -errno.
 */
int binds_copy(int root_fd, int copy_fd, const char *path,
	       const struct binds_hidden *hidden, struct why *why);

/* binds_place - make an empty file or directory for @path, as @mode says, for
 * something to be mounted on; what is there stays; 0 or -errno */
int binds_place(int root_fd, int copy_fd, const char *path, mode_t mode,
		struct why *why);

/* binds_note - put what @path in @copy_fd is now behind @note; 0, -E2BIG if
 * that is more than BINDS_NOTE_MAX by then, or another -errno */
int binds_note(struct buf *note, int copy_fd, const char *path,
	       struct why *why);

/* Where binds_gather() finds things. */
struct binds_sides {
	int upper_fd; /* an empty layer */
	int copy_fd;
	int root_fd; /* the project, for the modes of its directories */
	const struct binds_hidden *hidden; /* borrowed */
};

/*
 * binds_gather - put into the layer of @sides what differs by now
 *
 * @note is what binds_note() put together.
 *
 * Returns how many names differ, -EBADMSG for what is no note, -ESTALE where
 * what was changed was removed from the project meanwhile, -EPERM where
 * something hidden was made in the copy, or would be removed from the project
 * with what it is in, or another -errno.  What both have removed does not
 * differ.
 */
int binds_gather(const struct binds_sides *sides, struct span note,
		 struct why *why);

/* Of a path in the copy: 'A', 'M' or 'D'; a negative result ends it. */
typedef int binds_tell(void *context, char status, const char *path);

/*
 * binds_differ - tell @tell of all but directories that differs by now
 *
 * Whatever became of it in the project.  Returns 0, -EBADMSG for what is no
 * note, what @tell returned, or another -errno.
 */
int binds_differ(int copy_fd, struct span note, binds_tell *tell, void *context,
		 struct why *why);

#endif /* CHOCK_WORKSPACE_BINDS_H */
