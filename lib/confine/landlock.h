/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_LANDLOCK_H
#define CHOCK_CONFINE_LANDLOCK_H

/*
 * landlock - a ruleset that grants what is listed and refuses the rest
 *
 * Every right that the running kernel's Landlock knows is handled, up to the
 * newest that we know: a right that is not handled is granted.  The numbers
 * are our own, for no header older than the kernel can have them.
 *
 * Invariants
 *   - An open ruleset holds every handled right back until landlock_allow().
 *   - No grant lets a device be made.
 */

#include <stdbool.h>
#include <stdint.h>

#include "confine/layer.h"

struct why;

/* What a rule grants beneath a directory, or to one file. */
enum {
	LANDLOCK_READ = 1,   /* read files, list directories */
	LANDLOCK_EXEC = 2,   /* execute files */
	LANDLOCK_WRITE = 4,  /* write, make, remove, rename, link, truncate;
			       on a socket itself: connect to it */
	LANDLOCK_DEVICE = 8, /* ioctl on devices */
	LANDLOCK_LIST = 16   /* list directories, without reading files */
};

struct landlock {
	int fd;  /* owned, -1 when closed */
	int abi; /* of the running kernel, at least 1 */
	uint64_t handled_fs;
	uint64_t handled_net;
	uint64_t scoped;
};

#define LANDLOCK_CLOSED ((struct landlock){ .fd = -1 })
#define autolandlock __attribute__((cleanup(landlock_close)))

/* landlock_abi - the running kernel's; 0 if it has no Landlock or it is off */
int landlock_abi(void);

/* A part of Landlock that is a layer of its own. */
struct landlock_part {
	int abi;               /* the first one that has it */
	const char *release;   /* the release that came with that one */
	enum layer layer;      /* LAYER_COUNT: the report has no name for it */
	uint32_t held_by;      /* LAYER_BIT()s that together hold the same
				  without it; 0: nothing does */
	const char *held_text; /* what that comes to */
};

/* landlock_part - that part of Landlock; NULL if @layer is none */
const struct landlock_part *landlock_part(enum layer layer);

/*
 * landlock_open - a ruleset that refuses everything the kernel lets it
 *
 * With @hold_net, TCP bind and connect are refused as well (from ABI 10 on
 * also UDP bind, connect and send); without, they are left to the network
 * namespace.
 *
 * Returns 0, -ENOSYS or -EOPNOTSUPP without Landlock, or another -errno.
 */
int landlock_open(struct landlock *l, bool hold_net, struct why *why);

/*
 * landlock_allow - grant @access to the file or directory @path_fd
 *
 * Rights that mean nothing for a file that is not a directory are left out.
 * A grant on a directory does not let its unix sockets be connected to
 * (ABI 9), but for those that were made under the ruleset itself: such a
 * socket needs a grant of its own.  Returns 0 or -errno.
 */
int landlock_allow(struct landlock *l, int path_fd, unsigned int access,
		   struct why *why);

/* landlock_allow_path - the same for what is at @path; where nothing is, 0 */
int landlock_allow_path(struct landlock *l, const char *path,
			unsigned int access, struct why *why);

/*
 * landlock_enforce - hold the calling thread, and all that it starts, to @l
 *
 * The caller has no_new_privs set, or CAP_SYS_ADMIN in its namespace.
 */
int landlock_enforce(const struct landlock *l, struct why *why);

/*
 * landlock_scope_signals - let no signal of the caller out of what it starts
 *
 * Nothing else is held (ABI 6).  What it starts and holds to a ruleset of its
 * own is still within reach, and the caller not of that.  Conditions and
 * result are those of landlock_enforce().
 */
int landlock_scope_signals(struct why *why);

/* landlock_close - let go of the ruleset; what is enforced stays enforced */
void landlock_close(struct landlock *l);

#endif /* CHOCK_CONFINE_LANDLOCK_H */
