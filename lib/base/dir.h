/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_DIR_H
#define CHOCK_BASE_DIR_H

/*
 * dir - a directory, and the names in it
 *
 * readdir(3) says that there are no more by the same value as that it failed.
 * Who takes the one for the other acts as if what was not seen were not there.
 */

#include <sys/types.h>

struct dirent;

/*
 * dir_open_own - open the directory @path, to be read
 *
 * Returns a descriptor; -EPERM if it is another user's, or its mode has one of
 * the bits @barred, such as 022 where others could write to it; or another
 * -errno, such as -ENOTDIR for a symbolic link.
 */
int dir_open_own(const char *path, mode_t barred);

/* Of one name; what is not 0 ends it. */
typedef int dir_name(void *context, const struct dirent *entry);

/*
 * dir_each - call @each with each name in the directory @fd but "." and "..",
 * in no order
 *
 * @fd is borrowed, may be by O_PATH, and stands where it stood.
 *
 * Returns 0 once each was told, what @each returned, or -errno.
 */
int dir_each(int fd, dir_name *each, void *context);

#endif /* CHOCK_BASE_DIR_H */
