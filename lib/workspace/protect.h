/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_PROTECT_H
#define CHOCK_WORKSPACE_PROTECT_H

/*
 * protect - what of an effect runs later on the host, as its content tells
 *
 * A file that becomes executable, a symbolic link that leads out of the
 * project, attributes that name a driver of git's: none of these can be known
 * by its name.  What can is in a policy, which this part does not read.
 */

#include "workspace/effect.h"
#include "workspace/space.h"

struct why;

/* A .gitattributes of more is not looked at, and counts as one with drivers. */
#define PROTECT_ATTRIBUTES_MAX ((uint64_t)1 << 20) /* bytes */

/* A link's text of more cannot be a link, and counts as one that leads out. */
#define PROTECT_LINK_MAX ((uint64_t)4095) /* bytes, PATH_MAX less its end */

/*
 * protect_word - why a change is protected by @protect, for a person; NULL for
 * PROTECT_NONE
 */
const char *protect_word(enum protect_reason protect);

/*
 * protect_leads_out - whether a link at @path with @target may leave the
 * project
 *
 * By its text alone: it is absolute, climbs above the top, climbs behind a
 * name, which can be a link itself, or goes through a ".git".
 */
bool protect_leads_out(const char *path, struct span target);

/*
 * protect_has_drivers - whether @attributes, a file's, set filter, diff or
 * merge to a driver's name, or what git does not know itself: a macro that does
 * so can have any other name
 */
bool protect_has_drivers(struct span attributes);

/*
 * protect_find - mark the changes of @effect that are protected
 *
 * Returns 0, -EBADMSG if the objects are not as they should be, or another
 * -errno.
 */
int protect_find(struct effect *effect, const struct space *space,
		 struct why *why);

#endif /* CHOCK_WORKSPACE_PROTECT_H */
