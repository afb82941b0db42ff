/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LINT_CARRIES_H
#define CHOCK_LINT_CARRIES_H

/*
 * carries - which attributes a question about an action can carry
 */

#include "policy/rule.h"

enum carries {
	CARRIES_PORT = 1,
	CARRIES_PROTO = 2,
	CARRIES_ADDRESS = 4,
	CARRIES_METHOD = 8,
	CARRIES_PATH = 16,
	CARRIES_WEBSOCKET = 32,
	CARRIES_CLEARTEXT = 64,
	CARRIES_ALL = 127,
};

/* carries - the attributes of questions that @action names, as a set */
unsigned int carries(struct rule_field action);

/*
 * carries_missing - the first field of @rule that no question carries that its
 * action names, or NULL
 */
const char *carries_missing(const struct policy_rule *rule);

#endif /* CHOCK_LINT_CARRIES_H */
