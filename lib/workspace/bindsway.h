/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_BINDSWAY_H
#define CHOCK_WORKSPACE_BINDSWAY_H

/*
 * bindsway - what the two directions of workspace/binds share
 *
 * For workspace/binds alone, which is in two files.  All return 0 or -errno.
 */

#include "cow/descend.h"
#include "workspace/binds.h"

/* binds_above - make the directories above @path in @to_fd, with the modes
 * that they have in @like_fd */
int binds_above(int to_fd, int like_fd, const char *path);

/* binds_copy_one - with @hidden out of the project, else out of the copy */
int binds_copy_one(int from_fd, int to_fd, const char *path,
		   const struct binds_hidden *hidden);

/* binds_add_note - one line of a note, @context, which is a struct buf */
int binds_add_note(void *context, const struct descend *at,
		   const struct stat *st);

#endif /* CHOCK_WORKSPACE_BINDSWAY_H */
