/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LINT_CARRIES_H
#define CHOCK_LINT_CARRIES_H

/*
 * carries - which attributes a question about an action can carry
 */

struct policy_rule;

/*
 * carries_missing - the first field of @rule that no question carries that its
 * action names, or NULL
 */
const char *carries_missing(const struct policy_rule *rule);

#endif /* CHOCK_LINT_CARRIES_H */
