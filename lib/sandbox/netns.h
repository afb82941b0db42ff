/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_NETNS_H
#define CHOCK_SANDBOX_NETNS_H

/*
 * netns - a network namespace of its own, made while other things are built
 *
 * Nothing takes the kernel longer than to make one and to raise its lo, and
 * nothing of the tree needs it.  So a child that shares our memory makes it, on
 * another processor if one is idle, and we enter it when it is there.
 *
 * Invariants
 *   - Between netns_begin() and netns_enter() or netns_close() the child
 *     writes to the struct, which stays where it is.
 */

#include <sys/types.h>

struct why;

struct netns {
	pid_t child; /* 0: there is none, or no longer */
	int fd;      /* owned; of the namespace; -1: it could not be made */
	int errnum;  /* what the child could not do, and why; 0: all */
	const char *doing; /* "make the namespace" */
};

#define NETNS_NONE ((struct netns){ .fd = -1 })
#define autonetns __attribute__((cleanup(netns_close)))

/*
 * netns_begin - have one made, in which 127.0.0.1 can be served on
 *
 * Returns 0, or -errno if nobody could be started who does.
 */
int netns_begin(struct netns *netns, struct why *why);

/* netns_enter - wait until it is there, and be in it; 0 or -errno */
int netns_enter(struct netns *netns, struct why *why);

/* netns_close - wait for who makes it, and let go of it */
void netns_close(struct netns *netns);

#endif /* CHOCK_SANDBOX_NETNS_H */
