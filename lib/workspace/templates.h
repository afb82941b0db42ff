/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_TEMPLATES_H
#define CHOCK_WORKSPACE_TEMPLATES_H

/*
 * templates - where templates are, who needs each, and which of them go
 *
 * For workspace/template, which tells how it is laid out, and what lists them.
 * A workspace that is removed says nothing to its template: one counts as its
 * user for as long as its state names it.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct why;

#define TEMPLATES_NAME_LEN 32 /* hexadecimal digits */
#define TEMPLATES_PROJECT "project"

/*
 * templates_open - the directory of the project called @name, made if need be
 *
 * Its path is put into @path.  Waits until nobody else has it.  Returns a
 * descriptor, by closing which others can have it, or -errno.
 */
int templates_open(struct buf *path, const char *name, struct why *why);

/* templates_use - note that @workspace needs the template @dir, from now on */
int templates_use(const char *dir, const char *workspace, struct why *why);

/* templates_users - how many workspaces need the template @dir; who cannot be
 * read counts as one */
size_t templates_users(const char *dir);

/*
 * templates_measure - note how many bytes the template @dir takes, which is
 * whole and stays as it is
 *
 * Returns 0 or -errno.
 */
int templates_measure(const char *dir, struct why *why);

/* templates_size - as noted, or measured now if that is not to be had */
uint64_t templates_size(const char *dir);

/* templates_spare - remove what nobody needs in @above, but for the last @spare
 * that were used */
void templates_spare(const char *above, size_t spare);

#endif /* CHOCK_WORKSPACE_TEMPLATES_H */
