/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_FILE_H
#define CHOCK_BASE_FILE_H

/*
 * file - whole files, and writes that are whole
 */

#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/span.h"

struct why;

/*
 * file_read - put all that @fd has to give into @bytes
 *
 * @fd is borrowed and read from where it stands.
 *
 * Returns 0, -EFBIG if that is more than @max bytes, or another -errno.
 */
int file_read(struct buf *bytes, int fd, size_t max, struct why *why);

/*
 * file_read_path - the contents of the regular file @path, relative to
 * @dir_fd (AT_FDCWD: the working directory)
 *
 * A FIFO or device is refused without waiting for it.
 *
 * Returns 0, -EINVAL if it is no regular file, -EFBIG if it has more than
 * @max bytes, or another -errno.
 */
int file_read_path(struct buf *bytes, int dir_fd, const char *path, size_t max,
		   struct why *why);

/*
 * file_fill - read @room bytes from @fd into @bytes, or all there are up to its
 * end; returns how many, or -errno
 */
ssize_t file_fill(int fd, char *bytes, size_t room);

/* file_write - write all of @bytes to @fd; returns 0 or -errno */
int file_write(int fd, struct span bytes);

/*
 * file_sync_dir - have names that were made or removed in the directory @dir so
 * after a power cut too; 0 or -errno
 */
int file_sync_dir(const char *dir);

/*
 * file_put - make @bytes the file @name in the directory @dir
 *
 * It is written beside it, as NAME.new, synced and renamed: whatever happens,
 * there is all of what was there before or all of @bytes, and it is the latter,
 * also after a power cut, once this returned 0.  One that is made is its
 * owner's alone.  Returns 0 or -errno.
 */
int file_put(const char *dir, const char *name, struct span bytes,
	     struct why *why);

/*
 * file_copy - make the empty file @to_fd what the file @from_fd is
 *
 * Both are borrowed, and may stand elsewhere afterwards.  Where the file system
 * can, the two share their blocks until one is written; else holes stay holes,
 * and what is written to the end of @from_fd meanwhile does not come along.
 * Returns 0 or -errno.
 */
int file_copy(int to_fd, int from_fd);

/*
 * file_mkdirs - make the directory @path and all above it, each with @mode
 *
 * What is there already stays as it is.  Returns 0, -ENOTDIR if it is no
 * directory, or another -errno.
 */
int file_mkdirs(const char *path, mode_t mode, struct why *why);

/*
 * file_remove_tree - remove @name in @dir_fd and, if it is a directory, all
 * below it, without following a symbolic link or entering another mount
 *
 * Directories whose modes forbid it are made writable first.  Returns 0, also
 * if nothing is there, -EBUSY if something is mounted in it, or another
 * -errno.
 */
int file_remove_tree(int dir_fd, const char *name, struct why *why);

#endif /* CHOCK_BASE_FILE_H */
