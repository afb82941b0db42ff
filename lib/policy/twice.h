/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_TWICE_H
#define CHOCK_POLICY_TWICE_H

/*
 * twice - rules that stand in a file a second time
 *
 * One that does is one that was meant otherwise, and so an error.
 */

#include <stddef.h>

#include "policy/policy.h"

struct why;

/*
 * twice_check - whether the file @file says a rule twice
 *
 * @file is the very string of its rules' origins, @first the number of rules
 * before it was read.  Returns 0, or -EINVAL for the first line that says what
 * another has said.
 */
int twice_check(const struct policy *policy, size_t first, const char *file,
		struct why *why);

#endif /* CHOCK_POLICY_TWICE_H */
