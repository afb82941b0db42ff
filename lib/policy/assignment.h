/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_ASSIGNMENT_H
#define CHOCK_POLICY_ASSIGNMENT_H

/*
 * assignment - NAME=VALUE in an env statement, with paths in VALUE
 *
 * As in a shell, a "~" at the start of VALUE or behind a colon in it, alone
 * or before a slash, is the home directory; so is "@project@" the project.
 * Such a part, up to the next colon, is a path in the meaning of
 * policy/path.h.  All else is taken as it stands.
 */

#include <stdbool.h>

struct buf;
struct why;

/* assignment_has_name - whether @word begins with a variable's name and '=' */
bool assignment_has_name(const char *word);

/* assignment_fault - why @word is no NAME=VALUE, or NULL */
const char *assignment_fault(const char *word);

/*
 * assignment_expand - put what @word, which has no fault, sets behind @text
 *
 * Returns 0, or -EINVAL where a part needs @home or @project and that is NULL.
 */
int assignment_expand(struct buf *text, const char *word, const char *home,
		      const char *project, struct why *why);

#endif /* CHOCK_POLICY_ASSIGNMENT_H */
