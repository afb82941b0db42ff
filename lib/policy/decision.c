/* SPDX-License-Identifier: ISC */
#include "policy/decision.h"

const char *const decision_words[DECISIONS] = {
	[DECISION_ALLOW] = "allow",
	[DECISION_AGENT_REVIEW] = "agent_review",
	[DECISION_ASK] = "ask",
	[DECISION_AGENT_THEN_HUMAN] = "agent_then_human",
	[DECISION_DENY] = "deny",
};

const char *decision_word(enum policy_decision decision)
{
	return decision_words[decision];
}

enum policy_decision decision_read(struct span word)
{
	unsigned int i;

	for (i = 0; i < DECISIONS; i++)
		if (span_is(word, decision_words[i]))
			break;
	return (enum policy_decision)i;
}
