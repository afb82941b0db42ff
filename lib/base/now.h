/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_NOW_H
#define CHOCK_BASE_NOW_H

/*
 * now - to read and write what can be at once, whatever a description says
 *
 * Whether a description waits is a flag of its own (O_NONBLOCK), and who else
 * has it would have it changed under him.
 *
 * Before Linux 6.4, which has RWF_NOWAIT for pipes, it is poll(2) that says
 * what can be done, and somebody else may come first and have us wait.
 */

#include <sys/types.h>

/* now_read - as read(2), or -EAGAIN; -errno for other errors */
ssize_t now_read(int fd, void *bytes, size_t len);

/* now_write - as write(2), or -EAGAIN; -errno for other errors */
ssize_t now_write(int fd, const void *bytes, size_t len);

#endif /* CHOCK_BASE_NOW_H */
