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
#include <stddef.h>
#include <sys/types.h>

#define autostrays __attribute__((cleanup(strays_drop)))

struct strays {
	pid_t *pids; /* owned */
	size_t count;
};

#define STRAYS_WAIT 3000 /* ms that what was killed has to be gone */

/* strays_wait - bury children for at most @ms; whether none is left */
bool strays_wait(unsigned int ms);

/*
 * strays_spare - from now on @spared is the children that there are
 *
 * Who executes a program may have started some before, which the program has
 * for children then.
 */
void strays_spare(struct strays *spared);

/*
 * strays_end - kill and bury the children that are not @spared, for at most @ms
 *
 * Whose parent dies comes to us, and goes as well.  The children of one that
 * was killed and does not end are killed too.  Those that are spared are not
 * buried either, so that their numbers stay theirs.
 *
 * Returns 0 if none is left, -EBUSY if time was over before, or another -errno
 * where /proc says nothing of children, and there are some.
 */
int strays_end(const struct strays *spared, unsigned int ms);

/* strays_drop - release the list; good as new afterwards */
void strays_drop(struct strays *spared);

#endif /* CHOCK_SANDBOX_STRAYS_H */
