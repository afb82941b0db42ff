/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_FEED_H
#define CHOCK_SANDBOX_FEED_H

/*
 * feed - what passes from a pipe of the caller's to one of the sandbox's own
 *
 * Invariants
 *   - What nobody inside reads is never taken from the caller's pipe: it is
 *     there for who reads next, such as the shell whose script it is.
 *   - Nothing waits for either side.
 *   - What is written inside into the sandbox's end reaches nobody outside.
 *
 * Who reads the caller's pipe meanwhile may see once more what is read inside.
 */

#include <stddef.h>

struct loop;

#define FEED_PAGES 16 /* that are in both pipes at most; a power of two */
#define FEED_LOOK 10  /* ms; where no event tells that what was shown is read */

struct feed {
	struct loop *loop; /* borrowed */
	int outer_fd;      /* borrowed; the caller's */
	int inner_fd;      /* owned; where it is written to; -1: it is over */
	size_t shown;      /* bytes that are in both, but for what was read */
	size_t page;       /* bytes */
	size_t pages;      /* that the sandbox's pipe has; a power of two */
	size_t wanted;     /* that it shall have, if there is enough */
	size_t most;       /* that may be wanted */
};

#define FEED_CLOSED ((struct feed){ .inner_fd = -1 })

/*
 * feed_open - make the sandbox's pipe, and show it what is there already
 *
 * Returns the end that is for the sandbox, which is the caller's, or -errno.
 */
int feed_open(struct feed *feed, struct loop *loop, int outer_fd);

/* feed_start - go on in the loop */
void feed_start(struct feed *feed);

/* feed_close - take what was read inside from the caller's pipe, and end */
void feed_close(struct feed *feed);

#endif /* CHOCK_SANDBOX_FEED_H */
