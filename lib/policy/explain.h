/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_EXPLAIN_H
#define CHOCK_POLICY_EXPLAIN_H

/*
 * explain - how an answer came about, in lines for a person
 */

#include "policy/decide.h"

struct buf;

/*
 * explain - put the lines about @policy's answer to @question behind @lines
 *
 * Every rule that names the action is there, by agent and by layer, and why
 * each that does not decide does not.  Each line ends with a newline.
 */
void explain(struct buf *lines, const struct policy *policy,
	     const struct question *question);

#endif /* CHOCK_POLICY_EXPLAIN_H */
