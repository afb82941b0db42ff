/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_INDEXFILE_H
#define CHOCK_WORKSPACE_INDEXFILE_H

/*
 * indexfile - an index of git, taken apart
 *
 * gitformat-index(5): versions 2 and 3 are read, with either digest, where all
 * of it is in one file and nothing is left out of a sparse checkout.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* What lstat(2) said of a file. */
struct indexfile_stat {
	uint32_t ctime, ctime_ns, mtime, mtime_ns;
	uint32_t dev, ino, mode, uid, gid, size;
};

struct indexfile_entry {
	struct indexfile_stat data;
	struct span id;   /* in binary */
	const char *path; /* NUL behind it */
	bool marked;      /* git was told something else of it, such as not to
			   * look at the file */
};

struct indexfile {
	struct span rest; /* entries that were not taken yet */
	uint32_t count;   /* of these */
	size_t id_len;
	struct span tree; /* of all of them, the id in binary; empty: git did
			   * not note it */
};

/*
 * indexfile_open - read @bytes, which are borrowed and stay as they are
 *
 * Returns 1; 0 if it is not whole; -ENOTSUP for what is not read here.  Whole
 * is what ends with the checksum of what is before it, or with the zeros that a
 * git writes which makes none.
 */
int indexfile_open(struct indexfile *file, struct span bytes, bool sha256);

/* indexfile_next - take the next entry; false where there is none left */
bool indexfile_next(struct indexfile *file, struct indexfile_entry *entry);

/* indexfile_is_link - whether it is a symbolic link */
bool indexfile_is_link(const struct indexfile_entry *entry);

/* indexfile_digits - put the binary @id behind @digits, in hexadecimal */
void indexfile_digits(struct buf *digits, struct span id);

/* indexfile_is_id - whether the binary @id is what @digits say */
bool indexfile_is_id(struct span id, const char *digits);

#endif /* CHOCK_WORKSPACE_INDEXFILE_H */
