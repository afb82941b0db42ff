/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_DRIVER_H
#define CHOCK_SANDBOX_DRIVER_H

/*
 * driver - one way to build a sandbox and run a command in it
 *
 * A driver says what it can express, what it can do without and what it does
 * not hold, builds what a struct sandbox asks for or fails with the name of
 * the layer that it could not build, and fills in an outcome.
 *
 * Another one is a struct of its own and a row in driver.c.
 *
 * Invariants
 *   - What a driver cannot express is refused by name, before anything is
 *     made: never left out, and never done in another way.
 */

#include <stdint.h>

struct grant;
struct outcome;
struct sandbox;
struct why;

/* What a sandbox may ask for and not every driver can express. */
enum {
	DRIVER_MOVE = 1 << 0,    /* show something at another path */
	DRIVER_TMPFS = 1 << 1,   /* a fresh directory in place of a path */
	DRIVER_SCRATCH = 1 << 2, /* hold `limit scratch` */
	DRIVER_COW = 1 << 3,     /* keep apart what is written */
	DRIVER_LINK = 1 << 4,    /* lead to something by a link in the home */
};

/* Something that a driver does not hold, for who has to choose one. */
struct driver_gap {
	const char *what; /* a word or two, such as "names of files" */
	const char *text; /* what can be done because of that */
};

struct driver {
	const char *name;
	uint32_t waivable; /* LAYER_BIT()s of what it can do without */
	uint32_t can;      /* DRIVER_... */
	const struct driver_gap *gaps; /* what is NULL behind the last */

	/* works - whether this machine has what it stands on; 0 or -errno */
	int (*works)(struct why *why);

	/*
	 * run - build @sandbox, run its command, and wait for the end
	 *
	 * What became of it is in @outcome, and so is why it did not begin.
	 * What the driver decides about @sandbox, such as where its home is,
	 * is put into it.
	 */
	void (*run)(struct sandbox *sandbox, struct outcome *outcome);
};

extern const struct driver driver_namespaces;
extern const struct driver driver_landlock;

/* driver_at - the drivers, the strongest first; NULL behind the last */
const struct driver *driver_at(unsigned int index);

/*
 * driver_find - the driver @name; "auto" is the strongest that works here
 *
 * Why it is not the first one is then put into @passed, which is else left
 * alone.  Where none works it is the first.
 *
 * Returns NULL with the reason if there is none of that name.
 */
const struct driver *driver_find(const char *name, struct why *passed,
				 struct why *why);

/*
 * driver_home_part - where in the sandbox's home @grant is to be shown
 *
 * That is "a/b" for SANDBOX_HOME "/a/b".  Returns NULL where it is elsewhere.
 */
const char *driver_home_part(const struct grant *grant);

/*
 * driver_can_else - add to @why, what a driver cannot express, which one can
 *
 * Returns @r, which is negative.
 */
int driver_can_else(int r, struct why *why);

/*
 * driver_check - refuse what @driver cannot express of @sandbox
 *
 * Only what can be said without looking at the machine; the rest is run()'s.
 * Returns 0, or -EOPNOTSUPP with its place, the driver's name, and that of one
 * that can.
 */
int driver_check(const struct driver *driver, const struct sandbox *sandbox,
		 struct why *why);

#endif /* CHOCK_SANDBOX_DRIVER_H */
