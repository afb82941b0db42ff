/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_DEFERRED_H
#define CHOCK_COW_DEFERRED_H

/*
 * deferred - a copy on write whose layer is kept, and lands later or never
 *
 * The layer is a directory on a disk, and outlives the run and the machine's.
 * Until it lands nothing at all is written to the directory that it is of: an
 * origin is taken by looking.
 *
 * Invariants
 *   - What landed, landed as a whole; what did not, is in the layer still.
 *   - A whole stage is neither landed nor removed but by its owner.
 */

#include <stdint.h>
#include <time.h>

#include "cow/cow.h"
#include "cow/list.h"

struct why;

#define DEFERRED_NAMED_MAX 100 /* bytes of a path in a reason */
#define DEFERRED_BOOT_LEN 36   /* of the id of a boot, random(4) */

/* The directory when its layer began. */
struct deferred_origin {
	uint64_t dev, ino;
	struct timespec since, real, boot;   /* as in struct cow */
	char boot_id[DEFERRED_BOOT_LEN + 1]; /* which boot's clock boot is */

	/*
	 * Borrowed; whose layer it is: the session's name, a blank, and what
	 * no other one of that name has.
	 */
	const char *owner;
	struct before *before; /* borrowed; see cow/layerdiff.h */
};

/*
 * deferred_begin - look at the directory @path, of which a layer begins now
 *
 * Returns 0; -EOPNOTSUPP, with the reason, where what would be written could
 * not be brought back on this kernel or from this file system; or another
 * -errno.
 */
int deferred_begin(struct deferred_origin *origin, const char *path,
		   struct why *why);

/*
 * deferred_take - hold the directory @path, which @origin is of
 *
 * Returns 0, 1 if a landing of the same owner's was cut off there and must be
 * gone on with, -EEXIST if work of anybody else's waits there, -ESTALE if
 * another directory is there by now, -EAGAIN if a run has it, or another
 * -errno.  @cow is to be closed in any case.
 */
int deferred_take(struct cow *cow, const char *path,
		  const struct deferred_origin *origin, struct why *why);

struct layerdiff_change;

/* Who is told of what a layer comes to; each but line may be NULL. */
struct deferred_tell {
	list_tell *line; /* each file, link and directory that differs */

	/* change - the topmost place of those, cow/layerdiff.h; 0 or -errno */
	int (*change)(void *context, const struct layerdiff_change *change,
		      struct why *why);

	/* changed - what is there was changed underneath since */
	void (*changed)(void *context, const char *path);

	/* left_out - what does not land, and what it is */
	void (*left_out)(void *context, const char *path, const char *what);

	void *context; /* borrowed */
};

/*
 * deferred_list - hold the layer @upper_fd against the directory; 0 or -errno
 */
int deferred_list(const struct cow *cow, int upper_fd,
		  const struct deferred_tell *tell, struct why *why);

/*
 * deferred_tidy - remove what a landing left that was cut off before it touched
 * anything, or after it had done all: deferred_take() has returned 0
 */
int deferred_tidy(const struct cow *cow, struct why *why);

/*
 * deferred_land - put all that the layer @upper_fd changes into the directory
 *
 * What is deeper than a path, or node_depth_max(), can reach would be missing:
 * then nothing lands.
 *
 * Returns COW_DONE, COW_KEPT if the directory is as it was, or COW_HALF if
 * deferred_resume() must go on.  Where something had to be put back for that,
 * and nobody else had changed what the layer does, @origin is of now.
 */
enum cow_state deferred_land(const struct cow *cow, int upper_fd,
			     struct deferred_origin *origin, struct why *why);

/* deferred_resume - go on with what was cut off; as deferred_land() */
enum cow_state deferred_resume(const struct cow *cow,
			       struct deferred_origin *origin, struct why *why);

#endif /* CHOCK_COW_DEFERRED_H */
