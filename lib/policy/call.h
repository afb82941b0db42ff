/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_CALL_H
#define CHOCK_POLICY_CALL_H

/*
 * call - the questions that a record comes to
 *
 * A record is a question, which names its action, or a call of a tool, which
 * comes to actions by the tool; see chock-protocol(7).
 *
 * Invariants
 *   - An all-zero struct is empty.
 *   - A call that grants nothing has one question without an action, so that
 *     who asks is still looked at.
 */

#include "policy/decide.h"

struct record;
struct why;

#define CALL_QUESTIONS_MAX 2

#define autocall __attribute__((cleanup(call_drop)))

struct call {
	struct question questions[CALL_QUESTIONS_MAX];
	size_t count;
	void *memory; /* owned; what the questions point into */
};

/*
 * call_read - make questions of @record
 *
 * @projects are the names of the project's directory, up to a NULL.
 *
 * Returns 0, or -EINVAL for a record that comes to none.
 */
int call_read(struct call *call, const struct record *record,
	      const char *const *projects, struct why *why);

/* call_drop - release it; good as new afterwards */
void call_drop(struct call *call);

#endif /* CHOCK_POLICY_CALL_H */
