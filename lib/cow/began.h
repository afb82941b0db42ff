/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_BEGAN_H
#define CHOCK_COW_BEGAN_H

/*
 * began - when a copy on write began, by the clocks that are asked about it
 *
 * Whether something in the directory was changed since is told by ctimes, which
 * its own file system's clock makes.  By our two clocks it is told whether the
 * one of them was set back meanwhile, after which no ctime says anything.
 */

#include <stdbool.h>

struct cow;
struct why;

/*
 * began_on_disk - set since of @cow by the clock of the file system: it is now
 *
 * That makes and removes a directory in it, so that its ctime changes.
 * Returns 0 or -errno, also where nothing can be written.
 */
int began_on_disk(struct cow *cow, struct why *why);

/* began_now - set real and boot of @cow: it is now */
void began_now(struct cow *cow);

/* began_was_set_back - whether our clock was set back since began_now() */
bool began_was_set_back(const struct cow *cow);

#endif /* CHOCK_COW_BEGAN_H */
