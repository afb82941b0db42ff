/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_INDEXED_H
#define CHOCK_WORKSPACE_INDEXED_H

/*
 * indexed - whether a directory holds what an index of git says, and no more
 *
 * By what lstat(2) says of each file, as git does it, but in one process and
 * with nothing else: type, size, owner, inode and both times, which no change
 * leaves as they are.  No content is read, so that the index must be younger
 * than the files by what its clock can tell.
 */

#include <stdbool.h>

#include "base/span.h"

/*
 * indexed_is - look at all files in the directory @files
 *
 * A submodule is an empty directory.
 *
 * Returns 1; 0 if something differs, or the index is not whole; -ENOTSUP for an
 * index of a form that indexfile_open() does not read, or another -errno where
 * it cannot be told.
 */
int indexed_is(const char *files, const char *index, bool sha256);

/* indexed_bytes - the same of the bytes of an index */
int indexed_bytes(const char *files, struct span bytes, bool sha256);

/*
 * indexed_tracked - whether the index is that of the tree @tree, an id, and all
 * files that it has are in the directory @files as it says; others may be there
 *
 * A file that is as young as the index is read.  One in which a submodule is,
 * or what git was told not to look at, is not told of: -ENOTSUP, as where git
 * did not note of which tree the index is.  Returns as indexed_is().
 */
int indexed_tracked(const char *files, const char *index, bool sha256,
		    const char *tree);

#endif /* CHOCK_WORKSPACE_INDEXED_H */
