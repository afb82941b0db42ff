/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_WAITS_H
#define CHOCK_COW_WAITS_H

/*
 * waits - in which directories the work of a copy on write waits
 *
 * The work lies in the directory itself, and who is granted a directory above
 * must not touch it.  Nobody could look through all that is granted at each
 * start; so each directory has a line here, before anything is put in it: a
 * symbolic link in chock's own state directory, which no sandbox sees, called
 * as the directory's shelf is.
 *
 * What lies in a directory may be a stranger's, laid out like a stage of ours.
 * Only the line says that a run of this user's made it.
 *
 * Invariants
 *   - Without the list no run fails: only who is granted the directory itself
 *     is held then, and what waits is believed only by who is told to.
 *   - A line may be of a directory in which nothing waits any more.
 */

#include <stdbool.h>

struct shelf;
struct why;

/*
 * waits_add - the work of the directory of @shelf may lie in it from now on
 */
void waits_add(const struct shelf *shelf);

/* waits_remove - nothing waits in it */
void waits_remove(const struct shelf *shelf);

/* waits_has - whether there is a line of the directory of @shelf */
bool waits_has(const struct shelf *shelf);

/*
 * waits_each - tell @tell each directory, by its physical path
 *
 * Returns 0, also where there is no list, or nowhere that one could be (without
 * HOME nothing was put on one), or -errno.
 */
int waits_each(void (*tell)(void *context, const char *dir), void *context,
	       struct why *why);

#endif /* CHOCK_COW_WAITS_H */
