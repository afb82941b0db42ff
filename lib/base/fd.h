/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_FD_H
#define CHOCK_BASE_FD_H

/*
 * fd - what crosses exec, and the end of a descriptor before its block's
 *
 * Every descriptor of ours is close-on-exec from birth.  fd_inherit() is the
 * one place that changes that, so that its callers are the whole list of what
 * another program ever gets.
 */

/* fd_inherit - let the next program have @fd under its number; 0 or -errno */
int fd_inherit(int fd);

/*
 * fd_hold_back - let no program have a descriptor from @first on
 *
 * Before Linux 5.11, whose close_range(2) does it, they are read from
 * /proc/self/fd.  Returns 0 or -errno.
 */
int fd_hold_back(int first);

/* fd_drop - close @fd unless it is -1, which it is then; keeps errno */
void fd_drop(int *fd);

/*
 * fd_fill_standard - make sure that descriptors 0, 1 and 2 are open
 *
 * A program that is started with one of them closed would get it as the
 * number of the next file that it opens, and write messages into that.
 * Missing ones become /dev/null.  Returns 0 or -errno.
 */
int fd_fill_standard(void);

#endif /* CHOCK_BASE_FD_H */
