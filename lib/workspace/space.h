/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_SPACE_H
#define CHOCK_WORKSPACE_SPACE_H

/*
 * space - a workspace's directory, and what is known of it
 *
 *	state         one record: which project, branch and commit it began at
 *	refs          the project's branches and tags when it began
 *	copy/         what the sandbox sees at the project's own path; or
 *	layers/       what is over other files there
 *	quarantine/   a repository of ours, see workspace/repo.h
 *	incoming.pack what came out of the sandbox last
 *	index*        copies of the project's index
 *	carried       what came along that is in no commit; workspace/carried.h
 *	written       what is written through; workspace/written.h
 *
 * Only these are ever shown to a sandbox, so that the rest is as we wrote it.
 *
 * Invariants
 *   - state is the first thing that is made and says so: what has no state is
 *     not a workspace and is not removed.
 *   - made is set once everything is there.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "workspace/git.h"
#include "workspace/project.h"

struct why;

#define SPACE_ID_MAX 100 /* bytes */

/* Tells what of a project is hidden; see workspace/hidden.h. */
struct hiding {
	bool (*hides)(const struct hiding *hiding, const char *path);
	const struct names *patterns; /* borrowed; not empty */
	const struct names *meant;    /* borrowed, or NULL; those of them that
				    * are about this project, as like as not */
};

#define autospace __attribute__((cleanup(space_drop)))

struct space {
	struct buf id;
	struct buf project; /* its root */
	struct buf git_dir; /* of the project */
	struct buf branch;  /* as in struct project */
	struct buf head;    /* as in struct project */
	struct buf below; /* files that the copy is over; empty: it is whole */
	bool sha256;
	bool made;
	const int *keep_fd; /* borrowed, or NULL; see struct git */
	bool in_place;      /* nothing of it is shown at another path */
	bool hidden;        /* something of the project is hidden in it */
	bool apart;         /* it borrows no objects, for hidden ones' sake */
	const struct hiding *hiding; /* borrowed; NULL: none, or not read */
	struct names own; /* chock's directories in the project; see own.h */
	char *dir;        /* owned, as are the paths below it that follow */
	char *copy;       /* over other files it is what differs from those */
	char *layers;
	char *quarantine;
	char *index;
	char *pack;
};

/* space_is_id - whether @id can name a session, and a reference for it */
bool space_is_id(const char *id);

/* space_within - whether the physical @path is @dir, or is below it */
bool space_within(const char *path, const char *dir);

/*
 * space_new_path - the physical path that @path, which is not there yet, will
 * have; the caller's, or NULL with the reason
 */
char *space_new_path(const char *path, struct why *why);

/*
 * space_apart - say that the new @dir may not be a workspace of @root
 *
 * Returns why->errnum as an error, with what a person can do.
 */
int space_apart(const char *dir, const char *root, struct why *why);

/*
 * space_start - make the directory @path, empty but for its state
 *
 * It must not exist, nor lie within the repository; within the project it must
 * lie in a directory of chock's.  Whether it
 * is in place and what is hidden in it has been set.
 *
 * Returns 0 or -errno; nothing is left behind after a failure.
 */
int space_start(struct space *space, const struct project *project,
		const char *id, const char *path, struct why *why);

/*
 * space_lay - have the copy be a layer over the files in the directory @below
 *
 * An empty @below makes it whole again.  Nothing may be in it yet.  Its state
 * says so only once it is saved.  Returns 0 or -errno.
 */
int space_lay(struct space *space, struct span below, struct why *why);

/* space_save - write its state while it is still being made */
int space_save(const struct space *space, struct why *why);

/* space_finish - say in its state that the workspace is whole */
int space_finish(struct space *space, struct why *why);

/*
 * space_open - read the state of the workspace @path
 *
 * Returns 0, -EINVAL if @path is no workspace, or another -errno.
 */
int space_open(struct space *space, const char *path, struct why *why);

/*
 * space_project - open the project that @space was made from
 *
 * Returns 0, -EINVAL if there is another one by now, or another -errno.
 */
int space_project(const struct space *space, struct project *project,
		  struct why *why);

/*
 * space_remove - remove the workspace and all that is in it
 *
 * First what was written through is ended, and where that fails it stays.
 * Returns 0, -EBUSY while it has the journal of an apply, or another -errno.
 */
int space_remove(const struct space *space, struct why *why);

/*
 * space_read - put the workspace's file @name, if there is one, into @bytes
 *
 * Returns 1 if there is, 0, or -errno.
 */
int space_read(struct buf *bytes, const struct space *space, const char *name,
	       struct why *why);

/*
 * space_fresh_index - have no index at @path, nor the lock of one
 *
 * It is one of the workspace's own, and a lock of it is of a git that was
 * killed.
 */
void space_fresh_index(const char *path);

/* space_quarantine - write the quarantine anew, around its objects; its HEAD is
 * the project's commit, and no branch */
int space_quarantine(const struct space *space, const struct project *project,
		     struct why *why);

/* space_git - a call of git in the quarantine */
struct git space_git(const struct space *space);

/* space_drop - release the memory; good as new afterwards */
void space_drop(struct space *space);

#endif /* CHOCK_WORKSPACE_SPACE_H */
