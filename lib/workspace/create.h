/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_CREATE_H
#define CHOCK_WORKSPACE_CREATE_H

/*
 * create - a session's own repository and files, from those of a project
 *
 * The copy borrows the project's objects, by paths that exist only inside the
 * sandbox, and has its own of everything else.  No hook, filter or other
 * program that a configuration names runs while it is made, so files that a
 * filter would expand (LFS) stay as they are stored.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

/* Where the project's own object store is inside the sandbox; further ones
 * have a number behind the name, from 2. */
#define CREATE_OBJECTS "/run/chock/objects"

/* What the copy of a partial clone calls the remote that it does not have. */
#define CREATE_PARTIAL "not-in-a-copy"

struct create_how {
	bool dirty; /* uncommitted and untracked files are copied in */
	uint64_t template_files; /* how many files a project has at least whose
				  * copy begins from a template; 0: none */
};

/*
 * create_workspace - fill the workspace that space_start() began
 *
 * @note gets what a person should know, as one line; it may stay empty.
 *
 * Returns 0 or -errno; after a failure the workspace is gone.
 */
int create_workspace(struct space *space, const struct project *project,
		     const struct create_how *how, struct buf *note,
		     struct why *why);

/* create_binds - what chock-spawn has to show beside the copy, as its --bind
 * takes it */
void create_binds(struct names *binds, const struct space *space,
		  const struct project *project);

#endif /* CHOCK_WORKSPACE_CREATE_H */
