/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_LAYER_H
#define CHOCK_CONFINE_LAYER_H

/*
 * layer - the parts that a sandbox is made of, by name, and how each one is
 *
 * Each layer is built, tested and reported on its own, and none is assumed to
 * work because another one does.  One that cannot be had is an error that
 * names it, unless just that layer was waived.
 *
 * Invariants
 *   - A layer is LAYER_OFF until it was built.  Two are on before: "seccomp"
 *     and "rlimits" are put on the command last, when the report's first line
 *     is out, and without them it does not start.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct why;

enum layer {
	LAYER_USERNS,
	LAYER_PIDNS,
	LAYER_IPCNS,
	LAYER_MOUNTNS,
	LAYER_NETNS,
	LAYER_PROC,
	LAYER_LANDLOCK,
	LAYER_LANDLOCK_REFER,
	LAYER_LANDLOCK_TRUNCATE,
	LAYER_LANDLOCK_TCP,
	LAYER_LANDLOCK_IOCTL,
	LAYER_LANDLOCK_SCOPE,
	LAYER_SECCOMP,
	LAYER_SOCKETS,
	LAYER_RLIMITS,
	LAYER_CGROUP,
	LAYER_KEYRING,
	LAYER_MEMFD,
	LAYER_COUNT
};

enum layer_state {
	LAYER_OFF,    /* not built: nothing asked for it */
	LAYER_ON,     /* built, or nothing starts without it: it holds */
	LAYER_WAIVED, /* could not be had, and the caller said go on */
	LAYER_ABSENT  /* the kernel has none, and what it would hold is held */
};

#define LAYER_REASON_MAX 120

struct layer_row {
	enum layer_state state;
	bool failed;                   /* it is why there is no sandbox */
	char reason[LAYER_REASON_MAX]; /* "" where there is nothing to say */
};

#define LAYER_BIT(layer) (UINT32_C(1) << (layer))

/* layer_name - "userns", "landlock.refer", ..., as in the report */
const char *layer_name(enum layer layer);

/* layer_state_name - "off", "on", "waived" or "absent" */
const char *layer_state_name(enum layer_state state);

/*
 * layer_read - which layer is called @name
 *
 * Returns 0, or -ENOENT with the nearest right name in @why.
 */
int layer_read(enum layer *layer, struct span name, struct why *why);

/* layer_set - note in the table @rows that @layer is @state, and why */
void layer_set(struct layer_row *rows, enum layer layer, enum layer_state state,
	       const char *reason);

/* layer_all_on - whether all that have a LAYER_BIT() in @bits are */
bool layer_all_on(const struct layer_row *rows, uint32_t bits);

/*
 * layer_failed - there is no sandbox, for @layer could not be had
 *
 * Notes that, and puts the layer's name in front of the error in @why, which
 * is returned.
 */
int layer_failed(struct layer_row *rows, enum layer layer, struct why *why);

/*
 * layer_lost - @layer could not be had, for the reason in @why
 *
 * Returns 0 and notes it if @waived has its bit, else as layer_failed().
 */
int layer_lost(struct layer_row *rows, enum layer layer, uint32_t waived,
	       struct why *why);

#endif /* CHOCK_CONFINE_LAYER_H */
