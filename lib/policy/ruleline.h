/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_RULELINE_H
#define CHOCK_POLICY_RULELINE_H

/*
 * ruleline - a line of a policy that is a rule
 */

#include "policy/policy.h"

struct words;
struct why;

/*
 * ruleline_take - read the rule that the line of @words is, into tier @tier
 *
 * It becomes the last of policy->rules.  Returns 0 or -EINVAL.
 */
int ruleline_take(struct policy *policy, const struct words *words,
		  enum policy_layer layer, unsigned int tier, struct why *why);

#endif /* CHOCK_POLICY_RULELINE_H */
