/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_OWN_H
#define CHOCK_WORKSPACE_OWN_H

/*
 * own - directories of chock's that are in a project
 *
 * A home that is kept in git has them all: policies, logs, workspaces, what is
 * trusted.  Nothing of them goes into a copy, and nothing of a session's goes
 * into them.
 */

#include <stdbool.h>

#include "workspace/names.h"

/* Beside those, in any project: what a person had brought out to look at. */
#define OWN_ADOPTED ".chock-adopted"

/* own_find - put those below the physical @root into @own, relative to it */
void own_find(struct names *own, const char *root);

/* own_is - whether @path, relative to the project, is in one of @own; letters
 * of either case count as the same */
bool own_is(const struct names *own, const char *path);

/* own_touches - the same, or whether one of @own is below @path */
bool own_touches(const struct names *own, const char *path);

/* own_leave - take what is in one of @own out of the list @paths */
void own_leave(const struct names *own, struct names *paths);

#endif /* CHOCK_WORKSPACE_OWN_H */
