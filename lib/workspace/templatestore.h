/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_TEMPLATESTORE_H
#define CHOCK_WORKSPACE_TEMPLATESTORE_H

/*
 * templatestore - where templates are, who needs each, and which of them go
 *
 * For workspace/template, which tells how it is laid out, and what lists them.
 * A workspace that is removed says nothing to its template: one counts as its
 * user for as long as its state names it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct why;

/* One that nobody needs and nobody used goes after that. */
#define TEMPLATESTORE_DAYS 14

#define TEMPLATESTORE_NAME_LEN 32 /* hexadecimal digits */
#define TEMPLATESTORE_PROJECT "project"

/*
 * templatestore_open - the directory of the project called @name
 *
 * It is made if need be, and its path put into @path.  Waits until nobody else
 * has it.  Returns a descriptor, by closing which others can have it, or
 * -errno.
 */
int templatestore_open(struct buf *path, const char *name, struct why *why);

/* templatestore_use - note that @workspace needs the template @dir by now */
int templatestore_use(const char *dir, const char *workspace, struct why *why);

/* templatestore_users - how many workspaces need the template @dir; who cannot
 * be read counts as one */
size_t templatestore_users(const char *dir);

/*
 * templatestore_measure - note how many bytes the template @dir takes, which is
 * whole and stays as it is
 *
 * Returns 0 or -errno.
 */
int templatestore_measure(const char *dir, struct why *why);

/* templatestore_size - as noted, or measured now if that is not to be had */
uint64_t templatestore_size(const char *dir);

/* templatestore_spare - remove what nobody needs in @above, but for the last
 * @spare that were used */
void templatestore_spare(const char *above, size_t spare);

/* What is told of a template. */
struct templatestore_entry {
	const char *dir;
	struct buf project; /* empty: unknown */
	uint64_t used;      /* seconds since 1970 */
	size_t users;       /* workspaces that need it */
};

/* Whether one goes, if no workspace needs it. */
typedef bool templatestore_chosen(void *context,
				  const struct templatestore_entry *template);

/*
 * templatestore_sweep - remove those that @chosen says of all projects, but for
 * those that a workspace needs
 *
 * @chosen may be one that only looks.  A project of which one is being made is
 * left out.  Returns 0 or -errno.
 */
int templatestore_sweep(templatestore_chosen *chosen, void *context,
			struct why *why);

/* templatestore_is_old - a templatestore_chosen of what TEMPLATESTORE_DAYS are
 * up for */
bool templatestore_is_old(void *context,
			  const struct templatestore_entry *template);

#endif /* CHOCK_WORKSPACE_TEMPLATESTORE_H */
