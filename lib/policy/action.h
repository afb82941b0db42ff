/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_ACTION_H
#define CHOCK_POLICY_ACTION_H

/*
 * action - the names of what may be done
 *
 * A name is components with dots between.  A component is [A-Za-z0-9_/+@:-];
 * any other byte, the dot included, is written %XX with upper-case digits,
 * and no byte that needs it not is written so: one thing has one name.
 * chock-policy(5) lists the namespaces.
 *
 * Invariants
 *   - action_add() and action_path() are each other's inverse.
 */

#include <stdbool.h>

#include "base/span.h"

struct buf;

#define ACTION_MAX ((size_t)16 << 10) /* bytes of a name */

/* What is known about the namespace that a name is in. */
struct action_space {
	const char *form; /* "*": one component, "**": one or more */
	const char *held; /* "kernel" or "advice": who holds the answer */
	bool reserved;    /* nothing in this build asks for it by itself */
};

/*
 * action_fault - why @name is no name of an action, or NULL
 *
 * Only its form is looked at, for hosts also that of a host's name.
 */
const char *action_fault(struct span name);

/* action_space - the namespace that @name is in, or NULL */
const struct action_space *action_space(struct span name);

/*
 * action_space_above - a namespace in which names below @prefix are, or NULL
 *
 * One that is not reserved is preferred.
 */
const struct action_space *action_space_above(struct span prefix);

/*
 * action_nearest - the known name that @name was probably meant to be
 *
 * @above: @name is a prefix of names.  Put behind @near, which stays empty if
 * there is none.
 */
void action_nearest(struct buf *near, struct span name, bool above);

/* action_defaults_to_allow - whether a name that nobody named is allowed: a
 * capability that only a policy takes away */
bool action_defaults_to_allow(struct span name);

/* action_add - @part as one component, put behind @name with a dot before */
void action_add(struct buf *name, struct span part);

/*
 * action_path - the path that @name ends in, if its namespace has one
 *
 * Put behind @path.  Returns whether it has one.
 */
bool action_path(struct buf *path, struct span name);

#endif /* CHOCK_POLICY_ACTION_H */
