/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_TREE_TREE_H
#define CHOCK_TREE_TREE_H

/*
 * tree - the file system that a sandbox sees
 *
 * A new root on a tmpfs, on which stands what the plan says, each at its own
 * path, and chock's own parts: /dev, /proc, /sys/devices/system/cpu and
 * /run/chock.  The root itself is read-only.  The root and every scratch
 * directory are one tmpfs with one cap.
 *
 * Invariants
 *   - Nothing is ever made in a directory that is the host's: what a mount
 *     needs to stand on is there already or is in a tmpfs of ours.
 *   - The host's own tree is out of reach once tree_enter() returned 0.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "confine/layer.h"

struct stay;
struct landlock;
struct plan;
struct plan_item;
struct sandbox;
struct spot;
struct why;

/* What every mount in a tree has. */
#define TREE_ATTR (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

#define autotree __attribute__((cleanup(tree_close)))

struct tree {
	int root_fd;  /* owned; -1 when closed */
	int proc_fd;  /* owned; a fresh procfs, -1 without one */
	int empty_fd; /* owned; what others are covered with, read-only */
	int store_fd; /* owned; where scratch directories are kept */
	unsigned int scratch_count;
	const struct sandbox *sandbox; /* borrowed */
	struct stay *stay;             /* borrowed; what must stay */
	struct landlock *landlock;     /* borrowed; NULL: there is none */
	struct layer_row *rows;        /* borrowed */
};

#define TREE_CLOSED                     \
	((struct tree){ .root_fd = -1,  \
			.proc_fd = -1,  \
			.empty_fd = -1, \
			.store_fd = -1 })

/*
 * tree_build - make all of it, beside the tree that the caller is in
 *
 * @tree has the borrowed members set.  What it shows is granted to its
 * ruleset as well.
 */
int tree_build(struct tree *tree, const struct plan *plan, struct why *why);

/* tree_enter - make it the caller's root, and let go of the old one */
int tree_enter(struct tree *tree, struct why *why);

/* tree_close - let go of the descriptors */
void tree_close(struct tree *tree);

/*
 * tree_kernel - the parts of a tree that the kernel makes: /dev, /proc, /sys
 *
 * Called by tree_build(); its source is a file of its own.
 */
int tree_kernel(struct tree *tree, struct why *why);

/* tree_cover - cover what is hidden; called by tree_build(), likewise */
int tree_cover(const struct tree *tree, const struct plan *plan,
	       struct why *why);

/*
 * tree_overlay - the directory @source_fd with a layer above it that is written
 *
 * The layer goes out by the sandbox's cow, and is not in the tree.  The whole
 * of it is granted to the ruleset, which must know the overlay's own inodes.
 * Called by tree_build(), likewise.
 *
 * Returns the overlay's descriptor or -errno.
 */
int tree_overlay(const struct tree *tree, int source_fd, bool noexec,
		 struct why *why);

/*
 * tree_open_inside - pin what stands at @path in the new root
 *
 * @resolve is of openat2(2).  Returns a descriptor or -errno.
 */
int tree_open_inside(const struct tree *tree, const char *path,
		     uint64_t resolve);

/* tree_open_link - likewise, itself if it is a link; no other is followed */
int tree_open_link(const struct tree *tree, const char *path);

/*
 * tree_mount - what stands at the target of @item, not put there yet
 *
 * @source is what is there now.  It is granted to the ruleset as well.
 * Returns its descriptor or -errno; tree-item.c.
 */
int tree_mount(struct tree *tree, const struct plan_item *item,
	       const struct spot *source, struct why *why);

/* tree_dirs - make the directory @path in the root, and all above it */
int tree_dirs(const struct tree *tree, const char *path, struct why *why);

/*
 * tree_scratch - an empty writable directory with @mode, to stand at @path
 *
 * It is a mount of its own, but all of them and the root are one tmpfs, so
 * that one cap holds them together.  Returns its descriptor or -errno.
 */
int tree_scratch(struct tree *tree, mode_t mode, bool noexec, struct why *why);

/* tree_put_scratch - tree_scratch(), put at the existing directory @path */
int tree_put_scratch(struct tree *tree, const char *path, mode_t mode,
		     struct why *why);

/* tree_allow - grant @access beneath what @fd is, in the ruleset too */
int tree_allow(const struct tree *tree, int fd, unsigned int access,
	       struct why *why);

/* What others are covered with, by its name in empty_fd. */
#define TREE_EMPTY_DIR "dir"
#define TREE_EMPTY_FILE "file"
#define TREE_HIDDEN_DIR "hidden-dir"
#define TREE_HIDDEN_FILE "hidden-file"

#endif /* CHOCK_TREE_TREE_H */
