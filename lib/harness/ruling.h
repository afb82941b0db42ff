/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_RULING_H
#define CHOCK_HARNESS_RULING_H

/*
 * ruling - one answer out of those to all calls that a use of a tool comes to
 *
 * Harnesses know three answers at most.  What wants a reviewer asks a person.
 *
 * Invariants
 *   - An all-zero struct permits nothing: nothing was judged yet.
 *   - The reason is text that a person can be shown: no more than
 *     RULING_REASON_MAX bytes of UTF-8, in one line, every character seen.
 *   - However long what the model chose is, the reason says what decided.
 */

#include "base/buf.h"
#include "base/span.h"

#define RULING_REASON_MAX ((size_t)1000) /* bytes */
#define RULING_ACTIONS_MAX 8             /* names of actions in a reason */
#define RULING_NOTES_MAX 2               /* causes of each that are told */
#define RULING_ACTION_MAX ((size_t)160)  /* bytes of a name */
#define RULING_NOTE_MAX ((size_t)100)    /* bytes of a cause */
#define RULING_LIST_MAX ((size_t)300)    /* bytes, then no more are listed */

enum ruling_answer {
	RULING_NONE,
	RULING_ALLOW,
	RULING_DEFER, /* allowed, but for a part by no rule of a person's */
	RULING_ASK,
	RULING_DENY
};

struct ruling {
	enum ruling_answer answer;
	struct buf reason;
};

/*
 * ruling_take - add @answered, a call as chock-policy-eval answered it
 *
 * The more restrictive of it and what there is stays, with its reason.  An
 * answer that cannot be read denies.
 */
void ruling_take(struct ruling *ruling, struct span answered);

/* ruling_leave - what leaves the harness's own sandbox is asked about */
void ruling_leave(struct ruling *ruling);

/* ruling_unasked - where nobody is asked, because of @why, asking denies */
void ruling_unasked(struct ruling *ruling, const char *why);

/* ruling_deny - deny, because of @why, whatever there is */
void ruling_deny(struct ruling *ruling, const char *why);

/* ruling_allows - whether something was judged, and all of it allowed */
bool ruling_allows(const struct ruling *ruling);

/* ruling_text - the reason, also where there is none */
struct span ruling_text(const struct ruling *ruling);

/* ruling_drop - release it; good as new afterwards */
void ruling_drop(struct ruling *ruling);

#endif /* CHOCK_HARNESS_RULING_H */
