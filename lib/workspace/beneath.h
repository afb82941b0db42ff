/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_BENEATH_H
#define CHOCK_WORKSPACE_BENEATH_H

/*
 * beneath - files of a directory, by paths that no symbolic link leads astray
 *
 * Each parent is opened with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS,
 * openat2(2), Linux 5.6.  All return -ELOOP or -ENOTDIR where a parent is no
 * directory, -EINVAL for what ends in "." or "..", and another -errno for what
 * else goes wrong.
 */

#include <sys/stat.h>
#include <time.h>

enum beneath {
	BENEATH_SAME,
	BENEATH_PART, /* the beginning of the other, or nothing of it yet */
	BENEATH_OTHER,
};

/* beneath_stat - what is at @path itself; 0 or -errno */
int beneath_stat(int root_fd, const char *path, struct stat *st);

/* beneath_open - @path itself, by O_PATH; a descriptor or -errno */
int beneath_open(int root_fd, const char *path);

/* beneath_read - the file @path, to be read; -ELOOP for a link; it is waited
 * for nothing */
int beneath_read(int root_fd, const char *path);

/*
 * beneath_make - open the directory that @path names a thing in, made with
 * those above it where there is none; @name becomes the last part of @path
 *
 * Returns a descriptor by O_PATH, -EINVAL if a part is empty, "." or "..", or
 * another -errno.
 */
int beneath_make(int root_fd, const char *path, const char **name);

/* beneath_unlink - remove the file @path; 0 or -errno */
int beneath_unlink(int root_fd, const char *path);

/*
 * beneath_prune - remove the empty directories above @path that were made no
 * earlier than @since
 *
 * Where the file system keeps no time of birth, each that is empty.
 */
void beneath_prune(int root_fd, const char *path, const struct timespec *since);

/* beneath_compare - the file @path of the one directory with that of another;
 * what cannot be read is BENEATH_OTHER */
enum beneath beneath_compare(int root_fd, int other_fd, const char *path);

#endif /* CHOCK_WORKSPACE_BENEATH_H */
