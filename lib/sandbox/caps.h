/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_CAPS_H
#define CHOCK_SANDBOX_CAPS_H

/*
 * caps - the limits of all processes of a sandbox together, seen from outside
 *
 * Makes the cgroup that a sandbox is born in, or says who counts in its place,
 * watches the disks while it runs, and asks afterwards what the limits did.
 *
 * Invariants
 *   - What the report says of a limit, and of the layer "cgroup", is said here.
 */

#include <stdbool.h>

#include "limit/cgroup.h"
#include "limit/disk.h"

struct outcome;
struct sandbox;
struct watch;

struct caps {
	const struct sandbox *sandbox; /* borrowed */
	struct outcome *outcome;       /* borrowed */
	struct cgroup cgroup;
	struct disk disk;
	struct watch *watch; /* borrowed; what waits for process 1 */
	bool counting; /* process 1 has a process id and a user namespace */
};

/*
 * caps_open - prepare for @sandbox, before it is born
 *
 * @counting says whether the driver has a process 1 that can count in place of
 * a cgroup.  Returns 0, or -errno with the reason in @outcome.
 */
int caps_open(struct caps *caps, const struct sandbox *sandbox,
	      struct outcome *outcome, bool counting);

/*
 * caps_refused - say whose fault it was that a birth failed with @errnum
 *
 * Returns 1 if it was not the cgroup's, 0 if there is none any more and it is
 * worth another try, or -errno: there is no sandbox without.
 */
int caps_refused(struct caps *caps, int errnum);

/*
 * caps_watch - from now on end what @watch watches where a disk says so
 *
 * By watch_end(), in its loop.  To be called as soon as process 1 is born.
 */
void caps_watch(struct caps *caps, struct watch *watch);

/* caps_close - say what the limits did, and remove what was made */
void caps_close(struct caps *caps);

#endif /* CHOCK_SANDBOX_CAPS_H */
