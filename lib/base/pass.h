/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_PASS_H
#define CHOCK_BASE_PASS_H

/*
 * pass - one byte through a socket, and a descriptor with it where there is one
 *
 * For two processes of ours that have a socketpair(2) of the type
 * SOCK_SEQPACKET between them.  A descriptor that nobody asked for does not
 * stay open (unix(7), SCM_RIGHTS).
 */

/*
 * pass_send - send @byte, and @fd unless it is -1; never waits, no SIGPIPE
 *
 * Returns 0 or -errno; -EPIPE if the other end is gone.
 */
int pass_send(int socket_fd, unsigned char byte, int fd);

/*
 * pass_receive - take what came; never waits
 *
 * @fd is -1 where none came with it, else the caller's to close.  Returns 1,
 * 0 if the other end is gone, or -errno; -EAGAIN if nothing is there.
 */
int pass_receive(int socket_fd, unsigned char *byte, int *fd);

#endif /* CHOCK_BASE_PASS_H */
