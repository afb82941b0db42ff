/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_LEDGER_H
#define CHOCK_COW_LEDGER_H

/*
 * ledger - in which directories the work of a copy on write waits
 *
 * The work lies in the directory itself, and who is granted a directory above
 * must not touch it.  Nobody could look through all that is granted at each
 * start; so each directory has a line here, before anything is put in it: a
 * symbolic link in chock's own state directory, which no sandbox sees, called
 * as the directory's shelf is.
 *
 * Invariants
 *   - Without a ledger nothing fails: only who is granted the directory itself
 *     is held then.
 *   - A line may be of a directory in which nothing waits any more.
 */

struct shelf;
struct why;

/* ledger_add - the work of the directory of @shelf may lie in it from now on */
void ledger_add(const struct shelf *shelf);

/* ledger_remove - nothing waits in it */
void ledger_remove(const struct shelf *shelf);

/*
 * ledger_each - tell @tell each directory, by its physical path
 *
 * Returns 0, also where there is no ledger, or -errno.
 */
int ledger_each(void (*tell)(void *context, const char *dir), void *context,
		struct why *why);

#endif /* CHOCK_COW_LEDGER_H */
