/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_ARCHIVE_TAR_H
#define CHOCK_ARCHIVE_TAR_H

/*
 * tar - a tar archive, written to a descriptor as it is made
 *
 * The format is POSIX.1-2001's (pax), with names as the bytes that they are.
 * Files belong to nobody in particular, and have their permission bits.
 */

#include <sys/stat.h>

#include "base/span.h"

struct why;

#define autotar __attribute__((cleanup(tar_drop)))

struct tar {
	void *archive; /* owned; the library's, and nobody else's business */
};

/* tar_open - begin an archive on @fd, which is borrowed; 0 or -errno */
int tar_open(struct tar *tar, int fd, struct why *why);

/* tar_file - add @path, with what the regular file @fd, of @st, has to give */
int tar_file(struct tar *tar, const char *path, const struct stat *st, int fd,
	     struct why *why);

/* tar_bytes - add the file @path with @bytes in it */
int tar_bytes(struct tar *tar, const char *path, struct span bytes,
	      struct why *why);

/* tar_link - add the symbolic link @path, which says @text */
int tar_link(struct tar *tar, const char *path, const struct stat *st,
	     const char *text, struct why *why);

/* tar_directory - add the directory @path */
int tar_directory(struct tar *tar, const char *path, const struct stat *st,
		  struct why *why);

/* tar_close - write its end; 0 or -errno.  Without it, it has none */
int tar_close(struct tar *tar, struct why *why);

/* tar_drop - release the memory; fine on one that is closed */
void tar_drop(struct tar *tar);

#endif /* CHOCK_ARCHIVE_TAR_H */
