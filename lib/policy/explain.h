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
 * each that does not decide does not; then what explain_consequences() has.
 * Each line is one fact, printable, and ends with a newline.
 */
void explain(struct buf *lines, const struct policy *policy,
	     const struct question *question);

/*
 * explain_consequences - put what @answer, the one to @question, comes to
 * behind @lines
 *
 * When somebody is asked and who, who holds the answer, and what would have to
 * be written, and where, for it to be `allow`.
 */
void explain_consequences(struct buf *lines, const struct policy *policy,
			  const struct question *question,
			  const struct answer *answer);

#endif /* CHOCK_POLICY_EXPLAIN_H */
