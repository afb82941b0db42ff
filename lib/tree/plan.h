/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_PLAN_H
#define CHOCK_TREE_PLAN_H

/*
 * plan - what the tree of a sandbox will hold, with every source pinned
 *
 * Grants are paths in somebody's words.  A plan is those paths walked once:
 * physical, checked, merged, in the order in which they can be mounted, and
 * together with all that has to be covered afterwards.
 *
 * Invariants
 *   - items are in the order of a walk through the tree: what is above
 *     another one stands before it, and no target is there twice.
 *   - No item shows one of chock's own directories, but for those whose
 *     caller asked for just that.
 */

#include <stdbool.h>
#include <stddef.h>

#include "spec/sandbox.h"
#include "tree/spot.h"

struct mounts;
struct why;

#define autoplan __attribute__((cleanup(plan_drop)))

struct plan_item {
	char *target;       /* owned; inside, physical */
	struct spot source; /* SPOT_NOWHERE for a tmpfs */
	enum grant_kind kind;
	bool noexec;
	bool own;       /* may be one of chock's own directories */
	bool judged;    /* no other may be shown in its place */
	char *text;     /* owned; the file of ours that is shown instead, or
			   NULL */
	const char *by; /* borrowed */
};

/* What is covered once everything is in place. */
struct plan_cover {
	char *path;     /* owned; inside; a link at its end is followed */
	size_t below;   /* bytes of path that name the item that it is in */
	bool pin;       /* every directory on the way must stay where it is */
	bool link;      /* it is one, and with pin it must stay that link */
	const char *by; /* borrowed; who wants it held (stay.h), or NULL */
};

/* What a sandbox under these policies may have written in before. */
struct plan_writable {
	char *path;     /* owned; physical */
	const char *by; /* borrowed */
};

struct plan {
	struct plan_item *items; /* owned */
	size_t item_count;
	struct plan_cover *covers; /* owned */
	size_t cover_count;
	struct plan_writable *writables; /* owned */
	size_t writable_count;
	struct spot_links links;
};

/* plan_make - look at everything that @sandbox grants and hides */
int plan_make(struct plan *plan, const struct sandbox *sandbox,
	      struct why *why);

/*
 * plan_above - the item that the path @target is in, and is not
 *
 * @before is how many items are looked at, from the first one on.  Returns
 * NULL if there is none.
 */
const struct plan_item *plan_above(const struct plan *plan, size_t before,
				   const char *target);

/* plan_cover - add what is to be covered to the items; plan_make() does it */
int plan_cover(struct plan *plan, const struct sandbox *sandbox,
	       struct why *why);

/*
 * plan_accounts - have /etc/passwd and /etc/group, where they are shown, name
 * the user; plan_make() does it
 */
void plan_accounts(struct plan *plan);

/* plan_cover_path - cover the host's @path wherever an item shows it */
void plan_cover_path(struct plan *plan, const char *path);

/*
 * plan_sockets - cover the sockets of the host that nobody granted by their
 * paths; plan_cover() does it
 */
void plan_sockets(struct plan *plan, const struct sandbox *sandbox,
		  const struct mounts *mounts);

/*
 * plan_check_links - refuse a grant that a link on its way may have misled
 *
 * A link in a place that can be written may be one that an earlier run left.
 * plan_cover() does it.  Returns 0, or -ELOOP with the link in @why.
 */
int plan_check_links(const struct plan *plan, const struct mounts *mounts,
		     struct why *why);

/*
 * plan_cow - see to it that what is written below the directory of a copy on
 * write goes there; plan_make() does it
 *
 * Returns 0, -EBUSY if something is mounted in it, -EINVAL for a grant that
 * would write to it past the copy, or another -errno.
 */
int plan_cow(struct plan *plan, struct why *why);

/*
 * plan_workdir - have the links on the way to where the command starts, if it
 * is shown at all; plan_make() does it
 *
 * Last: they are the caller's own, and grant nothing.
 */
void plan_workdir(struct plan *plan, const struct sandbox *sandbox);

/* plan_is_writable - whether what @item shows can be written to inside */
bool plan_is_writable(const struct plan_item *item);

/* plan_drop - release it; good as new afterwards */
void plan_drop(struct plan *plan);

#endif /* CHOCK_TREE_PLAN_H */
