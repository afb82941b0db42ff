/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICYFILE_GUARD_H
#define CHOCK_POLICYFILE_GUARD_H

/*
 * guard - what nobody but the person and root can have written
 *
 * A person's own policies, the ceilings and the store of trust widen or bind
 * by being where they are.  So whoever could write them could widen too, and
 * they are refused where another user could: by the file's own mode and
 * owner, or by those of the directory that it is in, where it could be
 * replaced.  What is above that directory is not looked at.
 */

#include <stddef.h>

struct buf;
struct why;

/*
 * guard_check - whether only the person and root can write what @fd is
 *
 * @path is what messages call it.  Returns 0, or -EACCES with what mends it.
 */
int guard_check(int fd, const char *path, struct why *why);

/*
 * guard_read - file_read_path() for the absolute @path, which is checked, as
 * is the directory that it is in
 *
 * Both are checked through the descriptors that are read.
 */
int guard_read(struct buf *bytes, const char *path, size_t max,
	       struct why *why);

#endif /* CHOCK_POLICYFILE_GUARD_H */
