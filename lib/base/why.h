/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_WHY_H
#define CHOCK_BASE_WHY_H

/*
 * why - one sentence that says what went wrong
 *
 * Nothing below lib/ prints or exits.  Where a caller needs more than an
 * errno, the last parameter of a function is a struct why, and it is filled
 * in exactly when the result is negative.  The sentence is kept inside the
 * struct, so that explaining a failure can never fail itself.
 *
 * Invariants
 *   - text is terminated; what does not fit is cut, first from the words in
 *     front down to half of the room and last from the reason.
 *   - errnum is 0 until something failed, then positive.
 */

#define WHY_TEXT_MAX 1024

/* Of a reason that another one stands behind, and of that. */
#define WHY_PART_MAX 200 /* bytes */

struct why {
	int errnum; /* positive errno, or 0 */
	char text[WHY_TEXT_MAX];
};

/*
 * why_set - put the whole reason into @why
 *
 * What is in why->text may be among the words.
 *
 * Returns -@errnum, so that a caller can return the call itself.
 */
int why_set(struct why *why, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* why_sys - why_set() with the system's words for @errnum put behind */
int why_sys(struct why *why, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * why_behind - put words behind what went wrong, which is cut for them
 *
 * Returns -why->errnum.
 */
int why_behind(struct why *why, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * why_within - put what was being done in front of what went wrong
 *
 * Returns -why->errnum.
 */
int why_within(struct why *why, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* CHOCK_BASE_WHY_H */
