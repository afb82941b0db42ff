/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_PROBE_PROBE_H
#define CHOCK_PROBE_PROBE_H

/*
 * probe - what of a sandbox works on this machine, and why something does not
 *
 * A row is "on" only if it was tried and held.  Only the last word counts:
 * probe_sandbox(), which starts a sandbox as anybody would.  The rows before
 * it are there to say why.
 */

#include <stdbool.h>
#include <stddef.h>

#include "confine/layer.h"

#define PROBE_TEXT_MAX 320
#define PROBE_ROWS_MAX (LAYER_COUNT + 6)

enum probe_state {
	PROBE_ON,
	PROBE_OFF,
	PROBE_ABSENT,     /* the kernel has none, and a run goes on */
	PROBE_UNMEASURED, /* the trial itself failed: never taken for on */
};

struct probe_row {
	const char *name;
	const char *means; /* what it holds, or what it is for */
	enum probe_state state;
	int errnum;                 /* positive, or 0: none is the cause */
	char cause[PROBE_TEXT_MAX]; /* "" when it is on */
	char mend[PROBE_TEXT_MAX];  /* what to do, or "" */
};

/* probe_state_name - "on", "off", "absent" or "not measured" */
const char *probe_state_name(enum probe_state state);

/* probe_layers - try each; fills and returns LAYER_COUNT of @rows */
size_t probe_layers(struct probe_row *rows);

/* probe_git - whether there is a git, which chock-workspace(1) runs */
void probe_git(struct probe_row *row);

/*
 * probe_devices - whether a device of this machine can be granted
 *
 * @layers are the rows of probe_layers().
 */
void probe_devices(struct probe_row *row, const struct probe_row *layers);

/* probe_tty - whether a sandbox can have a terminal of its own; likewise */
void probe_tty(struct probe_row *row, const struct probe_row *layers);

/* probe_cow - run chock-spawn with --cow, on a directory that stays as it is */
void probe_cow(struct probe_row *row);

/* probe_driver_landlock - run it with the driver that needs no namespaces */
void probe_driver_landlock(struct probe_row *row);

/*
 * probe_sandbox - run `chock-spawn --policy base -- true`
 *
 * Its success is the row's state, and its message the cause.  A layer that it
 * names is off in @layers, the rows of probe_layers(), too.
 */
void probe_sandbox(struct probe_row *row, struct probe_row *layers);

#endif /* CHOCK_PROBE_PROBE_H */
