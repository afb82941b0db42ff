/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_REPLY_H
#define CHOCK_CALL_REPLY_H

/*
 * reply - an answer as it is written down
 */

#include <stdbool.h>

#include "call/call.h"
#include "policy/decide.h"

struct buf;

/* reply_rule - what decided: "FILE:LINE", "unnamed", ...; behind @name */
void reply_rule(struct buf *name, const struct answer *answer);

/*
 * reply_call - the fields that a record gets: actions, decision, rule, layer,
 * backed_by, and with @explain also why; behind @fields
 *
 * Returns the decision.
 */
enum policy_decision reply_call(struct buf *fields, const struct policy *policy,
				const struct call *call, bool with_why);

/*
 * reply_question - "DECISION RULE" on one line, and with @with_why the lines
 * that explain it; behind @text
 *
 * Returns the decision.
 */
enum policy_decision reply_question(struct buf *text,
				    const struct policy *policy,
				    const struct question *question,
				    bool with_why);

#endif /* CHOCK_CALL_REPLY_H */
