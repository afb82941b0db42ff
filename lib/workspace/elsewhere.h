/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_ELSEWHERE_H
#define CHOCK_WORKSPACE_ELSEWHERE_H

/*
 * elsewhere - how a person sees all of a workspace in another terminal
 *
 * A question has room for little, and is no place to scroll.  So it says which
 * call shows the rest while it waits.
 */

struct buf;

/* What the workspace is of. */
enum elsewhere_kind {
	ELSEWHERE_GIT,
	ELSEWHERE_PLAIN,
};

/*
 * elsewhere_diff - put the call that shows the changes in the workspace @dir
 * behind @text
 *
 * One of a session that is kept where sessions are, or of what that binds, is
 * named by the session; any other by its path, as a word of sh.
 */
void elsewhere_diff(struct buf *text, const char *dir,
		    enum elsewhere_kind kind);

#endif /* CHOCK_WORKSPACE_ELSEWHERE_H */
