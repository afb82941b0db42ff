/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_NARROWING_H
#define CHOCK_CALL_NARROWING_H

/*
 * narrowing - what a record says about restrictions
 *
 *	{"action":"git.*","at_most":"ask","reason":"..."}	a new one
 *	{"action":"git.*"}				which one to lift
 *
 * Both come beside or, from the tool restrict_self, as the arguments of a
 * call; the chain of agents is the field "agent" of the record.
 *
 * Invariants
 *   - An all-zero struct is empty.
 *   - What was read points into the struct: it is never copied.
 */

#include "base/buf.h"
#include "policy/restriction.h"

struct record_value;
struct why;

#define autonarrowing __attribute__((cleanup(narrowing_drop)))

struct narrowing {
	struct restriction restriction;
	struct restriction_name name;
	struct buf action, reason, chain; /* owned */
};

/*
 * narrowing_read - read the restriction that @said is, for @chain
 *
 * @chain is an array of agents; NULL is the one that everything starts with.
 * Returns 0, or -EINVAL, with the nearest right word for a wrong one.
 */
int narrowing_read(struct narrowing *narrowing, const struct record_value *said,
		   const struct record_value *chain, struct why *why);

/*
 * narrowing_read_name - read which restriction @said names
 *
 * For NULL as @chain that of any chain.  Returns 0 or -EINVAL.
 */
int narrowing_read_name(struct narrowing *narrowing,
			const struct record_value *said,
			const struct record_value *chain, struct why *why);

/*
 * narrowing_read_kept - read a restriction out of a log, as strictly as it
 * may have been meant
 *
 * What permits at most a word that is none permits nothing; what cannot be
 * read of the action is any; of the chain, everybody.
 */
void narrowing_read_kept(struct narrowing *narrowing,
			 const struct record_value *said,
			 const struct record_value *chain);

/* narrowing_drop - release it; good as new afterwards */
void narrowing_drop(struct narrowing *narrowing);

#endif /* CHOCK_CALL_NARROWING_H */
