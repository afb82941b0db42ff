/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_SHELF_H
#define CHOCK_COW_SHELF_H

/*
 * shelf - work for which there is no room where it belongs
 *
 * A directory whose file system is full, or has become read-only, cannot have
 * a stage.  Then one is made below chock's own state directory, which nothing
 * in a sandbox sees, called by the inode of the directory and by when that was
 * made: a number alone is given to another one once its directory is gone.
 * Where the file system does not say when (statx(2), STATX_BTIME), the device
 * has to do, whose number may be another's after the next start.
 *
 * A stage of these has one more file, SHELF_PATH, with the path of the
 * directory and a newline.
 */

#include <stdbool.h>

#include "cow/layerdiff.h"

struct buf;
struct why;

#define SHELF_PATH "path"
#define SHELF_NAME_MAX 64 /* bytes of a stage's name */

struct shelf {
	char *path;                /* owned; of the directory, physical */
	char name[SHELF_NAME_MAX]; /* of its stage */
	bool sure;                 /* no other directory can have that name */
};

/*
 * shelf_init - what the work of the directory @fd, which is called @path, is
 * kept as
 *
 * Returns 0 or -errno.
 */
int shelf_init(struct shelf *shelf, int fd, const char *path, struct why *why);

/*
 * shelf_there - whether there is work, all of it: 1, 0 or -errno
 *
 * What was never whole is removed.
 */
int shelf_there(const struct shelf *shelf, struct why *why);

/*
 * shelf_check - whether the work that is there was made at the same path
 *
 * @moved: it may be another one, if it is known to be the same directory.
 *
 * Returns 0, -EXDEV with both paths in @why, or another -errno.
 */
int shelf_check(const struct shelf *shelf, bool moved, struct why *why);

/*
 * shelf_make - keep what changed in the layer of @diff, as by stage_fill()
 *
 * Returns 0 or -errno; nothing is left behind after a failure.
 */
int shelf_make(const struct shelf *shelf, const struct layerdiff *diff,
	       struct why *why);

/* shelf_open - open the stage; its descriptor, -ENOENT, or another -errno */
int shelf_open(const struct shelf *shelf, struct why *why);

/* shelf_remove - remove it; 0 or -errno */
int shelf_remove(const struct shelf *shelf, struct why *why);

/* shelf_where - put the path of the stage behind @where; 0 or -errno */
int shelf_where(struct buf *where, const struct shelf *shelf, struct why *why);

/* shelf_drop - release it; good as new afterwards */
void shelf_drop(struct shelf *shelf);

#endif /* CHOCK_COW_SHELF_H */
