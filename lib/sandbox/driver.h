/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_DRIVER_H
#define CHOCK_SANDBOX_DRIVER_H

/*
 * driver - one way to build a sandbox and run a command in it
 *
 * A driver says what it can do without, builds what a struct sandbox asks for
 * or fails with the name of the layer that it could not build, and fills in
 * an outcome.  What it cannot express it refuses before anything is made.
 */

#include <stdint.h>

struct outcome;
struct sandbox;
struct why;

struct driver {
	const char *name;
	uint32_t waivable; /* LAYER_BIT()s of what it can do without */

	/*
	 * run - build @sandbox, run its command, and wait for the end
	 *
	 * What became of it is in @outcome, and so is why it did not begin.
	 */
	void (*run)(const struct sandbox *sandbox, struct outcome *outcome);
};

extern const struct driver driver_namespaces;

/*
 * driver_find - the driver @name; "auto" is the strongest that can work
 *
 * Returns NULL with the reason.
 */
const struct driver *driver_find(const char *name, struct why *why);

#endif /* CHOCK_SANDBOX_DRIVER_H */
