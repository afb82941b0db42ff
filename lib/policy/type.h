/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_TYPE_H
#define CHOCK_POLICY_TYPE_H

/*
 * type - what the words of a statement can be
 */

#include "base/span.h"

/* A type: its name as forms have it, and what is wrong with a word. */
struct type {
	const char *name;
	const char *(*fault)(const char *word);
};

/* type_find - the type that is called @name, which must exist */
const struct type *type_find(struct span name);

#endif /* CHOCK_POLICY_TYPE_H */
