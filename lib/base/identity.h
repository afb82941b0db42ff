/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_IDENTITY_H
#define CHOCK_BASE_IDENTITY_H

/*
 * identity - which file it is, whatever it is called
 *
 * A path that was judged can lead to another file by the time that it is used.
 * Device and inode tell two files apart that are there at the same time; an
 * inode that was removed is used again, and the time of birth tells that one
 * apart (statx(2), STATX_BTIME, Linux 4.11), where the file system keeps it.
 *
 * As text it is four numbers with a dot between each two.
 */

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct span;

struct identity {
	uint64_t dev, ino;
	uint64_t sec, nsec; /* of birth; 0 where that is not kept */
};

/* identity_of - that of the open file @fd, also by O_PATH; 0 or -errno */
int identity_of(struct identity *identity, int fd);

/* identity_write - put it behind @text */
void identity_write(const struct identity *identity, struct buf *text);

/* identity_read - of all of @text; returns 0, or -EINVAL if that is none */
int identity_read(struct identity *identity, struct span text);

/* identity_same - whether the two are of one file */
bool identity_same(const struct identity *a, const struct identity *b);

#endif /* CHOCK_BASE_IDENTITY_H */
