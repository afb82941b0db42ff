/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_PASS_H
#define CHOCK_BASE_PASS_H

/*
 * pass - bytes through a socket, and a descriptor with them where there is one
 *
 * For two processes of ours that have a socketpair(2) of the type
 * SOCK_SEQPACKET between them.  A descriptor that nobody asked for does not
 * stay open (unix(7), SCM_RIGHTS).
 */

#include <stddef.h>

#include "base/span.h"

/*
 * pass_send - send @byte, and @fd unless it is -1; never waits, no SIGPIPE
 *
 * Returns 0 or -errno; -EPIPE if the other end is gone.
 */
int pass_send(int socket_fd, unsigned char byte, int fd);

/* pass_send_bytes - the same of one message of @bytes, which are not none */
int pass_send_bytes(int socket_fd, struct span bytes, int fd);

/*
 * pass_receive - take what came; never waits
 *
 * @fd is -1 where none came with it, else the caller's to close.  Returns 1,
 * 0 if the other end is gone, or -errno; -EAGAIN if nothing is there.
 */
int pass_receive(int socket_fd, unsigned char *byte, int *fd);

/*
 * pass_receive_bytes - the same of one message; returns how long it is
 *
 * What is longer than @size is cut.
 */
int pass_receive_bytes(int socket_fd, void *bytes, size_t size, int *fd);

#endif /* CHOCK_BASE_PASS_H */
