/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_VERDICT_H
#define CHOCK_HARNESS_VERDICT_H

/*
 * verdict - one answer out of those to all calls that a use of a tool comes to
 *
 * Harnesses know three answers at most.  What wants a reviewer asks a person.
 *
 * Invariants
 *   - An all-zero struct permits nothing: nothing was judged yet.
 *   - The reason is text that a person can be shown: no more than
 *     VERDICT_REASON_MAX bytes of UTF-8, in one line, every character seen.
 *   - However long what the model chose is, the reason says what decided.
 */

#include "base/buf.h"
#include "base/span.h"

#define VERDICT_REASON_MAX ((size_t)1000) /* bytes */
#define VERDICT_ACTIONS_MAX 8             /* names of actions in a reason */
#define VERDICT_NOTES_MAX 2               /* causes of each that are told */
#define VERDICT_ACTION_MAX ((size_t)160)  /* bytes of a name */
#define VERDICT_NOTE_MAX ((size_t)100)    /* bytes of a cause */
#define VERDICT_LIST_MAX ((size_t)300)    /* bytes, then no more are listed */

enum verdict_answer {
	VERDICT_NONE,
	VERDICT_ALLOW,
	VERDICT_DEFER, /* allowed, but for a part by no rule of a person's */
	VERDICT_ASK,
	VERDICT_DENY
};

struct verdict {
	enum verdict_answer answer;
	struct buf reason;
};

/*
 * verdict_take - add @answered, a call as chock-policy-eval answered it
 *
 * The more restrictive of it and what there is stays, with its reason.  An
 * answer that cannot be read denies.
 */
void verdict_take(struct verdict *verdict, struct span answered);

/* verdict_leave - what leaves the harness's own sandbox is asked about */
void verdict_leave(struct verdict *verdict);

/* verdict_unasked - where nobody is asked, because of @why, asking denies */
void verdict_unasked(struct verdict *verdict, const char *why);

/* verdict_deny - deny, because of @why, whatever there is */
void verdict_deny(struct verdict *verdict, const char *why);

/* verdict_allows - whether something was judged, and all of it allowed */
bool verdict_allows(const struct verdict *verdict);

/* verdict_text - the reason, also where there is none */
struct span verdict_text(const struct verdict *verdict);

/* verdict_drop - release it; good as new afterwards */
void verdict_drop(struct verdict *verdict);

#endif /* CHOCK_HARNESS_VERDICT_H */
