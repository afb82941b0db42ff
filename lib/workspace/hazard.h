/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_HAZARD_H
#define CHOCK_WORKSPACE_HAZARD_H

/*
 * hazard - what of an effect runs later on the host, as its content tells
 *
 * A file that becomes executable, a symbolic link that leads out of the
 * project, attributes that name a driver of git's: none of these can be known
 * by its name.  What can is in a policy, which this part does not read.
 */

#include "workspace/effect.h"
#include "workspace/space.h"

struct why;

/* A .gitattributes of more is not looked at, and counts as one with drivers. */
#define HAZARD_ATTRIBUTES_MAX ((uint64_t)1 << 20) /* bytes */

/* A link's text of more cannot be a link, and counts as one that leads out. */
#define HAZARD_LINK_MAX ((uint64_t)4095) /* bytes, PATH_MAX less its end */

/* hazard_word - why @hazard is one, for a person; NULL for HAZARD_NONE */
const char *hazard_word(enum hazard hazard);

/*
 * hazard_leads_out - whether a link at @path with @target may leave the project
 *
 * By its text alone: it is absolute, climbs above the top, climbs behind a
 * name, which can be a link itself, or goes through a ".git".
 */
bool hazard_leads_out(const char *path, struct span target);

/*
 * hazard_has_drivers - whether @attributes, a file's, set filter, diff or merge
 * to a driver's name, or what git does not know itself: a macro that does so
 * can have any other name
 */
bool hazard_has_drivers(struct span attributes);

/*
 * hazard_find - mark the changes of @effect that are hazards
 *
 * Returns 0, -EBADMSG if the objects are not as they should be, or another
 * -errno.
 */
int hazard_find(struct effect *effect, const struct space *space,
		struct why *why);

#endif /* CHOCK_WORKSPACE_HAZARD_H */
