/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_OVERLAY_H
#define CHOCK_WORKSPACE_OVERLAY_H

/*
 * overlay - the workspace of a directory that is in no git repository
 *
 *	state         one record: which directory it is of, and when it began
 *	names         what was in the directory then, unless that was too much
 *	layers/upper  what the session wrote, as an overlay keeps it
 *	layers/work   the kernel's own, for the overlay
 *
 * The directory itself is the lower layer, and is only looked at.  None of the
 * workspace is ever shown to a sandbox as it is: only the kernel writes to the
 * layers while a session runs, and nobody afterwards.
 *
 * Invariants
 *   - state is the first thing that is made, as in workspace/space.h.
 *   - landing is set before anything of the session is put into the directory,
 *     landed once all of it is.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "cow/before.h"
#include "cow/deferred.h"

struct names;
struct why;

#define autooverlay __attribute__((cleanup(overlay_drop)))

struct overlay {
	struct buf id;
	struct buf project; /* the directory; physical */
	struct deferred_origin origin;
	struct before before; /* for origin, if names says that there are */
	bool names;
	bool landing, landed;
	char *owner; /* owned; origin has it */
	char *dir;   /* owned, as are the paths below it that follow */
	char *listed;
	char *layers;
	char *upper;
};

/* overlay_is - whether the workspace @path is one of these: 1, 0 or -errno */
int overlay_is(const char *path, struct why *why);

/*
 * overlay_start - make the workspace @path of the directory @dir, with layers
 * in which nothing is
 *
 * It must not exist, nor lie in the directory.  Returns 0, -EOPNOTSUPP where
 * deferred_begin() says so, or another -errno; nothing is left behind after a
 * failure.
 */
int overlay_start(struct overlay *overlay, const char *dir, const char *id,
		  const char *path, struct why *why);

/* What a snapshot may have; both are looked at before anything is copied. */
#define OVERLAY_SNAPSHOT_NAMES ((size_t)1000000)
#define OVERLAY_SNAPSHOT_BYTES ((uint64_t)64 << 30)

/*
 * overlay_snapshot - copy the directory into the layers, as "lower", so that
 * it is what a session is shown
 *
 * @left gets what is no file, link or directory, and is left out.
 *
 * Returns 0, -E2BIG or -EFBIG for more than may be, or another -errno.
 */
int overlay_snapshot(const struct overlay *overlay, struct names *left,
		     struct why *why);

/* overlay_start_of - the same of the physical @root, which may be in git; the
 * caller knows what is new in the layer, and that no sandbox is shown it */
int overlay_start_of(struct overlay *overlay, const char *root, const char *id,
		     const char *path, struct why *why);

/*
 * overlay_open - read the state of the workspace @path
 *
 * Returns 0, -EINVAL if @path is no such workspace, or another -errno.
 */
int overlay_open(struct overlay *overlay, const char *path, struct why *why);

/* overlay_save - write the state anew; 0 or -errno */
int overlay_save(const struct overlay *overlay, struct why *why);

/*
 * overlay_sync - have the layers on the disk, for who keeps them
 *
 * While a session runs the kernel is told not to wait for that.  Returns 0,
 * also if there is no layer, or -errno.
 */
int overlay_sync(const struct overlay *overlay, struct why *why);

/* overlay_upper - open the upper layer; -ENOENT if no session ever ran */
int overlay_upper(const struct overlay *overlay, struct why *why);

/* overlay_drop - release the memory; good as new afterwards */
void overlay_drop(struct overlay *overlay);

#endif /* CHOCK_WORKSPACE_OVERLAY_H */
