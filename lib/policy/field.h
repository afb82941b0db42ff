/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_FIELD_H
#define CHOCK_POLICY_FIELD_H

/*
 * field - how a name, a class of names, or every name is written
 *
 * A class is a name with ".*" behind, and `any` is every action.  Rules and
 * restrictions are written so, and say the same about a mistake.
 */

#include "policy/rule.h"

struct action_space;
struct why;

/*
 * field_read - read the name or class that @word is
 *
 * @field points into @word.  Returns 0, or -EINVAL for any other star.
 */
int field_read(struct rule_field *field, const char *word, struct why *why);

/*
 * field_read_action - read the action, the class of actions or the `any`
 *
 * Returns 0, or -EINVAL for what is no action that chock knows, with the one
 * that was probably meant.
 */
int field_read_action(struct rule_field *field, const char *word,
		      struct why *why);

/* field_space - the namespace of the action or class @field, or NULL */
const struct action_space *field_space(struct rule_field field);

#endif /* CHOCK_POLICY_FIELD_H */
