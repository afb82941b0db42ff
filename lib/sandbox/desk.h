/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_DESK_H
#define CHOCK_SANDBOX_DESK_H

/*
 * desk - where calls are handed in for the clerk, which is a process of its own
 *
 * What the clerk does waits for locks that a command can hold, and for file
 * systems that may never answer.  Who has to end the command cannot.  So what
 * the keeper is told it hands on, and the clerk answers the caller by itself.
 *
 * Invariants
 *   - Nothing here waits for the clerk, but for its process to be made.
 *   - The clerk has nothing open but the listener, the roots and its socket.
 *   - It ends with the keeper, at the latest when that lets go of the desk.
 */

#include <sys/types.h>

struct roots;
struct seccomp_notif;
struct why;

struct desk {
	pid_t clerk;   /* 0: there is none */
	int socket_fd; /* owned; -1 when closed */
};

#define DESK_CLOSED ((struct desk){ .socket_fd = -1 })

/*
 * desk_open - start the clerk, for calls of @listener_fd that are about @roots
 *
 * The clerk is a child of the calling process, with its ids, its Landlock
 * domain and its signal mask.  The caller is left without @roots.
 *
 * Returns 0 or -errno.
 */
int desk_open(struct desk *desk, struct roots *roots, int listener_fd,
	      struct why *why);

/*
 * desk_hand - hand in @call, which was read from the listener
 *
 * Returns 0, and the clerk answers it; -EAGAIN if too much waits there; or
 * -EPIPE if the clerk is gone.
 */
int desk_hand(const struct desk *desk, const struct seccomp_notif *call);

#endif /* CHOCK_SANDBOX_DESK_H */
