/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_DIRT_H
#define CHOCK_WORKSPACE_DIRT_H

/*
 * dirt - what of a project's working tree is in no commit
 *
 * Asked of a copy of the project's index, through the quarantine: nothing is
 * written in the project, and as no filter is configured there, none runs.
 * A file whose filter would make it equal again counts as changed.  Nothing
 * that is chock's own counts.
 */

#include <stdbool.h>

#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

#define autodirt __attribute__((cleanup(dirt_drop)))

struct dirt {
	struct names changed;   /* against the commit, or staged, or gone */
	struct names untracked; /* and not ignored, nor OWN_ADOPTED */
	bool found;             /* somebody has looked at the changed ones */
	bool none;              /* there is none, nor of what is chock's own */
	pid_t pid;              /* of a git that looks; 0: none */
	int out_fd;             /* owned, while there is one */
};

/*
 * dirt_begin - have a git begin what dirt_find() waits for
 *
 * Until then, or until it is dropped, the workspace's index is that git's.
 * Returns 0 or -errno.
 */
int dirt_begin(struct dirt *dirt, const struct space *space,
	       const struct project *project, struct why *why);

/*
 * dirt_find - look at the working tree; the quarantine must be there, and is at
 * the project's commit
 *
 * The workspace's index is afterwards a copy of the project's that knows of
 * each file whether it is as it was.  Returns 0 or -errno.
 */
int dirt_find(struct dirt *dirt, const struct space *space,
	      const struct project *project, struct why *why);

/* dirt_find_changed - dirt_find(), without looking for untracked files */
int dirt_find_changed(struct dirt *dirt, const struct space *space,
		      const struct project *project, struct why *why);

/* dirt_copy_index - the project's index as the workspace's; 0 or -errno */
int dirt_copy_index(const struct space *space, const struct project *project,
		    struct why *why);

/* dirt_drop - release the memory; good as new afterwards */
void dirt_drop(struct dirt *dirt);

#endif /* CHOCK_WORKSPACE_DIRT_H */
