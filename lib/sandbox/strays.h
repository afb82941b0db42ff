/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_STRAYS_H
#define CHOCK_SANDBOX_STRAYS_H

/*
 * strays - the end of processes that no namespace ends
 *
 * For who adopts processes (PR_SET_CHILD_SUBREAPER, prctl(2)).  A process that
 * was killed is there until the kernel is done with what it was doing for it,
 * and where that waits for a file system this may be never.  So nobody waits
 * here for longer than was said.
 */

#include <stdbool.h>

#define STRAYS_WAIT 3000 /* ms that what was killed has to be gone */

/* strays_wait - bury children for at most @ms; whether none is left */
bool strays_wait(unsigned int ms);

/*
 * strays_end - kill and bury all children for at most @ms; whether none is left
 *
 * Whose parent dies comes to us, and goes as well.  The children of one that
 * was killed and does not end are killed too.  Nothing is ended where /proc
 * says nothing of children.
 */
bool strays_end(unsigned int ms);

#endif /* CHOCK_SANDBOX_STRAYS_H */
