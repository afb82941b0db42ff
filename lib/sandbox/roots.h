/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SANDBOX_ROOTS_H
#define CHOCK_SANDBOX_ROOTS_H

/*
 * roots - what may be changed, as a rule of Landlock means it
 *
 * Such a rule is about the thing that was at a path when it was made, and what
 * is below that.  Whatever is put in its place is another thing, and one that
 * is moved takes its rule along.
 *
 * Invariants
 *   - A root is held open, so that its numbers never become another's.
 *   - No path counts for anything until what is there was compared.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct roots_row {
	int fd; /* owned, O_PATH */
	dev_t dev;
	ino_t ino;
};

struct roots {
	struct roots_row *rows; /* owned */
	size_t count;
};

/* roots_add - @fd, O_PATH or not, becomes one; 0 or -errno */
int roots_add(struct roots *roots, int fd);

/*
 * roots_have - whether what @fd is open for is a root, or in one
 *
 * False for what has no place, and where the way up cannot be walked.
 */
bool roots_have(const struct roots *roots, int fd);

/* roots_drop - let go of them; good as new afterwards */
void roots_drop(struct roots *roots);

#endif /* CHOCK_SANDBOX_ROOTS_H */
