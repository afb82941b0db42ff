/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_GITDIR_H
#define CHOCK_WORKSPACE_GITDIR_H

/*
 * gitdir - what is of a repository, and can have whoever looks run programs
 *
 * That is whatever has a ".git" in its path, in any case of letters.  A
 * directory needs no such name: git takes one for a repository that has a HEAD,
 * objects and refs, or a HEAD and commondir (gitrepository-layout(5)), and then
 * obeys its config.
 */

#include <stdbool.h>

#include "workspace/effect.h"
#include "workspace/space.h"

struct why;

/* A tree of files, of which nothing is asked but what is there. */
struct gitdir_tree {
	bool (*has)(const struct gitdir_tree *tree, const char *path);

	/* of gitdir_in_layers(): what was written, and what it is written to */
	int upper_fd, lower_fd;

	const void *context; /* borrowed; for others */
};

/* gitdir_in_layers - has() of what is in a layer or below it; where it cannot
 * be told it counts as there */
bool gitdir_in_layers(const struct gitdir_tree *tree, const char *path);

/* gitdir_has - whether @path, relative, is of a repository of git in @tree */
bool gitdir_has(const struct gitdir_tree *tree, const char *path);

/* gitdir_of_others - whether it is of one of Mercurial, Jujutsu, Subversion */
bool gitdir_of_others(const char *path);

/*
 * gitdir_find - mark the changes of @effect that are of a repository
 *
 * Returns 0, -EBADMSG if the objects are not as they should be, or another
 * -errno.
 */
int gitdir_find(struct effect *effect, const struct space *space,
		struct why *why);

#endif /* CHOCK_WORKSPACE_GITDIR_H */
