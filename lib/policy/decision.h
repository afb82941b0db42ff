/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_DECISION_H
#define CHOCK_POLICY_DECISION_H

/*
 * decision - the five answers, from the most to the least that they permit
 */

#include "base/span.h"

enum policy_decision {
	DECISION_ALLOW,
	DECISION_AGENT_REVIEW,
	DECISION_ASK,
	DECISION_AGENT_THEN_HUMAN,
	DECISION_DENY,
	DECISIONS
};

/* decision_word - how @decision is written */
const char *decision_word(enum policy_decision decision);

/* decision_words - all of them, in the order of the enum */
extern const char *const decision_words[DECISIONS];

/* decision_read - the decision that is written @word; DECISIONS for none */
enum policy_decision decision_read(struct span word);

#endif /* CHOCK_POLICY_DECISION_H */
