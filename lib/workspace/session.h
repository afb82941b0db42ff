/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_SESSION_H
#define CHOCK_WORKSPACE_SESSION_H

/*
 * session - a workspace's directory, and what is known of it
 *
 *	state         one record: which project, branch and commit it began at
 *	refs          the project's branches and tags when it began
 *	copy/         what the sandbox sees at the project's own path
 *	quarantine/   a repository of ours, see workspace/repo.h
 *	incoming.pack what came out of the sandbox last
 *	index*        copies of the project's index
 *
 * Only copy/ is ever shown to a sandbox, so that the rest is as we wrote it.
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

#define SESSION_ID_MAX 100 /* bytes */

#define autosession __attribute__((cleanup(session_drop)))

struct session {
	struct buf id;
	struct buf project; /* its root */
	struct buf git_dir; /* of the project */
	struct buf branch;  /* as in struct project */
	struct buf head;    /* as in struct project */
	bool sha256;
	bool made;
	char *dir; /* owned, as are the paths below it that follow */
	char *copy;
	char *quarantine;
	char *index;
	char *pack;
};

/* session_is_id - whether @id can name a session, and a reference for it */
bool session_is_id(const char *id);

/*
 * session_start - make the directory @path, empty but for its state
 *
 * It must not exist, nor lie within the project or its repository.
 *
 * Returns 0 or -errno; nothing is left behind after a failure.
 */
int session_start(struct session *session, const struct project *project,
		  const char *id, const char *path, struct why *why);

/* session_finish - say in its state that the workspace is whole */
int session_finish(struct session *session, struct why *why);

/*
 * session_open - read the state of the workspace @path
 *
 * Returns 0, -EINVAL if @path is no workspace, or another -errno.
 */
int session_open(struct session *session, const char *path, struct why *why);

/*
 * session_open_project - open the project that @session was made from
 *
 * Returns 0, -EINVAL if there is another one by now, or another -errno.
 */
int session_open_project(const struct session *session, struct project *project,
			 struct why *why);

/*
 * session_remove - remove the workspace and all that is in it
 *
 * Returns 0 or -errno.
 */
int session_remove(const struct session *session, struct why *why);

/* session_quarantine - write the quarantine anew, around its objects */
int session_quarantine(const struct session *session,
		       const struct project *project, struct why *why);

/* session_git - a call of git in the quarantine */
struct git session_git(const struct session *session);

/* session_drop - release the memory; good as new afterwards */
void session_drop(struct session *session);

#endif /* CHOCK_WORKSPACE_SESSION_H */
