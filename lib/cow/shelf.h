/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_KEPT_H
#define CHOCK_COW_KEPT_H

/*
 * kept - work for which there is no room where it belongs
 *
 * A directory whose file system is full, or has become read-only, cannot have
 * a stage.  Then one is made below chock's own state directory, which nothing
 * in a sandbox sees, called by the device and the inode of the directory.
 */

#include <sys/stat.h>

#include "cow/walk.h"

struct why;

/* kept_there - whether there is work of the directory @st: 1, 0 or -errno */
int kept_there(const struct stat *st);

/*
 * kept_make - keep what changed in the layer of @walk, as by stage_fill()
 *
 * Returns 0 or -errno; nothing is left behind after a failure.
 */
int kept_make(const struct stat *st, const struct walk *walk, struct why *why);

/* kept_open - open the stage; its descriptor, -ENOENT, or another -errno */
int kept_open(const struct stat *st, struct why *why);

/* kept_remove - remove it; 0 or -errno */
int kept_remove(const struct stat *st, struct why *why);

#endif /* CHOCK_COW_KEPT_H */
