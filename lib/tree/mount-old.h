/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_MOUNT_OLD_H
#define CHOCK_TREE_MOUNT_OLD_H

/*
 * mount-old - what tree/mount.h promises, by mount(2) alone
 *
 * For kernels, and filters of containers, that have no fsopen(2), open_tree(2)
 * and move_mount(2) (Linux 5.2), or no mount_setattr(2) (Linux 5.12).  mount(2)
 * knows no mount that is attached nowhere: one is put on the host's /dev or
 * /dev/null, in our mount namespace alone, and moved on from there.  Every
 * path that it gets is /proc/self/fd/N, so that none is looked up twice.
 *
 * Invariants
 *   - At most one mount waits on /dev, and one on /dev/null: what is made or
 *     cloned is put in its place before the next is.
 */

#include <stdint.h>

struct why;

/* mount_old_make - as mount_make() */
int mount_old_make(const char *type, const char *const *options, uint64_t attr,
		   struct why *why);

/* mount_old_clone - as mount_again() */
int mount_old_clone(int dir_fd, const char *path, struct why *why);

/* mount_old_change - set @attr on the mount @tree_fd, and on none below it */
int mount_old_change(int tree_fd, uint64_t attr, struct why *why);

/* mount_old_change_all - likewise on all in it, which become private */
int mount_old_change_all(int tree_fd, uint64_t attr, struct why *why);

/* mount_old_put - as mount_put() */
int mount_old_put(int tree_fd, int dir_fd, const char *path, struct why *why);

#endif /* CHOCK_TREE_MOUNT_OLD_H */
