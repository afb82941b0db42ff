/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_RESTRICTION_H
#define CHOCK_POLICY_RESTRICTION_H

/*
 * restriction - ceilings that were lowered while a session ran
 *
 * A restriction permits no more than its decision for an action, to one chain
 * of agents and to every chain that goes on from it.  It only lowers: an
 * answer is the minimum of what the policy says and of all that are in force.
 *
 * Invariants
 *   - An all-zero struct has none in force.
 *   - Numbers are given from 1 in the order in which they came; that of one
 *     that was lifted is not given again.
 *   - What would be one too many is not forgotten: from then on everything is
 *     denied, to everybody, for as long as the struct is used.
 */

#include <stdbool.h>
#include <stddef.h>

#include "policy/decision.h"
#include "policy/rule.h"

struct question;
struct why;

#define RESTRICTIONS_MAX 1024 /* in force at one time */

#define autorestrictions __attribute__((cleanup(restrictions_drop)))

struct restriction {
	unsigned int number; /* 0: of what stands in where there is no room */
	const char *action;  /* as a rule has it, as it was written */
	struct rule_field field; /* what that is; points into action */
	enum policy_decision at_most;
	const char *reason;
	const char *chain; /* kinds of agents, a NUL behind each */
	size_t agents;     /* how many those are; 0: everybody */
};

struct restrictions {
	struct restriction *items; /* owned, with the texts in them */
	size_t count;
	unsigned int made;
	bool full;
};

/*
 * restriction_add - put a copy of @new in force, and give it a number
 *
 * One that says the same but for its reason is in force already, and stays.
 * Returns the number, or -ENOSPC: everything is denied from then on.
 */
int restriction_add(struct restrictions *all, const struct restriction *new,
		    struct why *why);

/* What one that is in force can be named by. */
struct restriction_name {
	const char *action;
	enum policy_decision at_most; /* DECISIONS: any */
	const char *chain;            /* NULL: of any chain */
	size_t agents;
};

/*
 * restriction_find - the number of the one that @name names
 *
 * An action is named just as it was written.  Returns the number, -ENOENT
 * where none is named so, or -EINVAL where several are.
 */
int restriction_find(const struct restrictions *all,
		     const struct restriction_name *name, struct why *why);

/* restriction_lift - what restriction_find() found is in force no longer */
int restriction_lift(struct restrictions *all,
		     const struct restriction_name *name, struct why *why);

/* restriction_binds - whether it is one for the action and asker */
bool restriction_binds(const struct restriction *restriction,
		       const struct question *question);

/*
 * restriction_least - of those that bind @question the most restrictive one
 *
 * Of equals the first.  NULL where none does, or @all is NULL.
 */
const struct restriction *restriction_least(const struct restrictions *all,
					    const struct question *question);

/* restrictions_drop - release it; good as new afterwards */
void restrictions_drop(struct restrictions *all);

#endif /* CHOCK_POLICY_RESTRICTION_H */
