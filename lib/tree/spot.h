/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_SPOT_H
#define CHOCK_TREE_SPOT_H

/*
 * spot - where a path leads on the host, pinned
 *
 * A path is walked once.  What it led to is held by a descriptor, and is
 * called by its physical name from then on; the symbolic links on the way are
 * kept too, so that the same path can be made to work inside.
 *
 * Invariants
 *   - path is absolute and physical: no link, no ".", no "..", no slash at
 *     its end but for "/" itself.
 */

#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

struct why;

#define SPOT_LINKS_MAX 40 /* as many as the kernel follows */

struct spot {
	int fd;          /* owned, O_PATH; -1 where nothing is there */
	struct buf path; /* physical */
	mode_t mode;     /* with the type; 0 where nothing is there */
};

/* A symbolic link that was followed. */
struct spot_link {
	char *path;     /* owned; physical, but for being a link */
	char *text;     /* owned; what it says */
	const char *by; /* borrowed; on whose way it is */
};

struct spot_links {
	struct spot_link *links; /* owned */
	size_t count;
	const char *by; /* borrowed; of the links that come next */
};

#define SPOT_NOWHERE ((struct spot){ .fd = -1 })
#define autospot __attribute__((cleanup(spot_close)))

/*
 * spot_find - pin what the absolute @path leads to
 *
 * Links on the way are put behind those in @links, which may be NULL.
 *
 * Returns 0, -ENOENT if nothing is there (@spot then has the path that it
 * would have, and no descriptor), or another -errno.
 */
int spot_find(struct spot *spot, const char *path, struct spot_links *links,
	      struct why *why);

/*
 * spot_again - pin what is now at @path, which was physical a while ago
 *
 * No link is followed: one that is there now was put there since.
 *
 * Returns 0, -ELOOP for such a link, or another -errno.
 */
int spot_again(struct spot *spot, const char *path, struct why *why);

/* spot_close - let go of it; good as new afterwards */
void spot_close(struct spot *spot);

/* spot_links_drop - release them; good as new afterwards */
void spot_links_drop(struct spot_links *links);

/*
 * path_below - what is left of @path below the directory @dir
 *
 * Returns "" for the directory itself, else the rest without its first slash;
 * NULL if @path is not in it.
 */
const char *path_below(const char *path, const char *dir);

#endif /* CHOCK_TREE_SPOT_H */
