/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_KINDS_H
#define CHOCK_WORKSPACE_KINDS_H

/*
 * kinds - how many files of an index a copy has in another form
 */

#include <stdbool.h>
#include <stddef.h>

#include "workspace/git.h"

struct why;

struct kinds {
	size_t modules;  /* submodules, which stay empty directories */
	size_t filtered; /* files with a filter, which no filter writes */
};

/*
 * kinds_count - count those of the index of @git
 *
 * @attributes says that there are some beside those of files in the index.
 * Returns 0 or -errno.
 */
int kinds_count(struct kinds *kinds, const struct git *git, bool attributes,
		struct why *why);

/* kinds_write - have them in the directory @dir; 0 or -errno */
int kinds_write(const struct kinds *kinds, const char *dir, struct why *why);

/* kinds_read - as kinds_write() left them; 0, or -errno if it did not */
int kinds_read(struct kinds *kinds, const char *dir);

#endif /* CHOCK_WORKSPACE_KINDS_H */
