/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_DRAIN_H
#define CHOCK_SANDBOX_DRAIN_H

/*
 * drain - what passes from a pipe of the sandbox's own to one of the caller's
 *
 * Invariants
 *   - Nothing is dropped while somebody reads the caller's pipe; when nobody
 *     does, nobody reads the sandbox's either, and its writers hear of it.
 *   - Nothing waits for either side.
 *   - What others wrote into the caller's pipe cannot be read inside.
 */

#include <stdbool.h>
#include <stddef.h>

struct loop;

#define DRAIN_ROOM 65536 /* bytes; what a pipe holds, pipe(7) */

struct drain {
	struct loop *loop; /* borrowed */
	int outer_fd;      /* borrowed; the caller's */
	int inner_fd;      /* owned; where it is read from; -1: it is over */
	bool ending;       /* only what is in it already counts */
	size_t rest;       /* bytes that are to be read yet, when ending */
	void (*over_fn)(void *arg);
	void *over_arg;   /* borrowed */
	size_t from, len; /* of bytes, which are read and not written yet */
	char bytes[DRAIN_ROOM];
};

/*
 * drain_open - make the sandbox's pipe
 *
 * @drain is all zero but for an inner_fd of -1.  Returns the end that is for
 * the sandbox, which is the caller's, or -errno.
 */
int drain_open(struct drain *drain, struct loop *loop, int outer_fd);

/* drain_start - pass on, in the loop */
void drain_start(struct drain *drain);

/*
 * drain_finish - nobody writes any more: pass on what there is, then call @fn
 *
 * That may be before it returns.  It is to be called for each drain once.
 */
void drain_finish(struct drain *drain, void (*fn)(void *arg), void *arg);

/* drain_close - let go of it; what was not passed on is lost */
void drain_close(struct drain *drain);

#endif /* CHOCK_SANDBOX_DRAIN_H */
