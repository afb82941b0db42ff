/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_ANCHOR_H
#define CHOCK_LOG_ANCHOR_H

/*
 * anchor - how long a log was, and its head, kept beside it
 *
 * A chain cannot show that its last lines were cut off; a second place that
 * says how many there were can.  The file has two slots of ANCHOR_SLOT bytes,
 * each one JSON line that ends with a digest of itself.  A new anchor goes
 * into the slot that does not hold the newest one, so that whoever is killed
 * while writing leaves the other one whole, and half an anchor is never read
 * as one.
 *
 * Invariants
 *   - An all-zero struct is no anchor.
 *   - An anchor that was read is, byte for byte, one that was written.
 */

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "digest/sha256.h"

struct why;

/*
 * How many events may come between two anchors: what a cut can take from a
 * log whose writer was killed without showing.
 */
#define ANCHOR_EVERY 64

#define ANCHOR_SLOT ((size_t)2048) /* bytes */

#define autoanchor __attribute__((cleanup(anchor_drop)))

struct anchor {
	struct buf session; /* owned */
	uint64_t count;
	char head[SHA256_HEX + 1];
	char time[32];
	unsigned int slot;
};

/*
 * anchor_read - the newest whole anchor in @fd
 *
 * @anchor must be empty.  Returns 1, 0 if there is none, or -errno.
 */
int anchor_read(struct anchor *anchor, int fd, struct why *why);

/*
 * anchor_write - put an anchor into @fd, next to the newest one there
 *
 * The caller has made sure that the lines it speaks of are on the disk, and
 * syncs @fd where the anchor itself must be.  Where the newest anchor says
 * the same nothing is written.
 *
 * Returns 0 or -errno.
 */
int anchor_write(int fd, struct span session, uint64_t count, const char *head,
		 struct why *why);

/* anchor_drop - release the memory; good as new afterwards */
void anchor_drop(struct anchor *anchor);

#endif /* CHOCK_LOG_ANCHOR_H */
