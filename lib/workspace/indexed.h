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
 * index of a form that is not read here (gitformat-index(5): versions 2 and 3
 * are, with SHA-1 or, as @sha256 says, SHA-256, of nothing that is left out of
 * a sparse checkout, and all of it in one file), or another -errno where it
 * cannot be told.  Whole is what ends with the checksum of what is before it,
 * or with the zeros that a git writes which makes none.
 */
int indexed_is(const char *files, const char *index, bool sha256);

/* indexed_bytes - the same of the bytes of an index */
int indexed_bytes(const char *files, struct span bytes, bool sha256);

#endif /* CHOCK_WORKSPACE_INDEXED_H */
