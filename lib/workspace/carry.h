/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_CARRY_H
#define CHOCK_WORKSPACE_CARRY_H

/*
 * carry - a person's uncommitted files, taken along into a fresh copy
 *
 * What git says of a project is what somebody's index has it say, and what is
 * in the copy somebody committed: nothing is written but beneath the copy, and
 * where a link of the copy's or ".." would lead it fails.
 */

#include <stddef.h>

#include "workspace/dirt.h"

struct why;

/*
 * carry_dirt - make the paths of @dirt in @copy what they are in @root
 *
 * Regular files and symbolic links are copied, with their modes; what is gone
 * is removed; anything else (a FIFO, a repository within the project) is
 * counted in @skipped and left out.
 *
 * Returns 0 or -errno.
 */
int carry_dirt(const char *copy, const char *root, const struct dirt *dirt,
	       size_t *skipped, struct why *why);

/*
 * carry_dirt_over - carry_dirt() where @layer, in which nothing is, is over the
 * files that the paths of @dirt differ from
 *
 * What is gone gets a whiteout there, which any user can make (Linux 5.8).  A
 * directory that nothing is left in stays, empty.
 */
int carry_dirt_over(const char *layer, const char *root,
		    const struct dirt *dirt, size_t *skipped, struct why *why);

#endif /* CHOCK_WORKSPACE_CARRY_H */
