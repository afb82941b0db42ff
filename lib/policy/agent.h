/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_AGENT_H
#define CHOCK_POLICY_AGENT_H

/*
 * agent - the kinds of agents that policies declare
 *
 * `agent KIND [parent KIND]`.  Where files declare kinds, a kind that none of
 * them declares is unknown.  The layers of the policy declare together; each
 * ceiling that has agents declares for itself, so that a ceiling can narrow
 * the list and never add to it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "policy/policy.h"

struct words;
struct why;

#define AGENTS_MAX 256 /* kinds that a policy can declare */

struct policy_agent {
	const char *kind;
	const char *parent; /* NULL: none */
	struct policy_origin origin;
	unsigned int tier; /* of the list that it is in */
	enum policy_layer layer;
};

/* agent_take - read the agent that the line of @words is; 0 or -EINVAL */
int agent_take(struct policy *policy, const struct words *words,
	       unsigned int tier, struct why *why);

/*
 * agent_check - whether what was added last refers to declared agents only
 *
 * Looks at the agents from @first_agent and, if there are any, at the rules
 * from @first_rule on.  Returns 0 or -EINVAL.
 */
int agent_check(const struct policy *policy, size_t first_agent,
		size_t first_rule, struct why *why);

/* agent_known - whether every list of kinds that there is has @kind */
bool agent_known(const struct policy *policy, struct span kind);

#endif /* CHOCK_POLICY_AGENT_H */
