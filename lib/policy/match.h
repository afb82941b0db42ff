/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_MATCH_H
#define CHOCK_POLICY_MATCH_H

/*
 * match - which rule of a tier is for which of the agents that ask
 *
 * All agents are looked at together: what the act is does not depend on who
 * asks, so each rule is held against it once, however many agents there are.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "policy/glob.h"

struct lookup;
struct lookup_place;
struct lookup_rule;
struct policy;
struct policy_rule;
struct question;

struct match_agent {
	struct span kind;
	uint32_t name;                   /* its hash */
	const struct lookup_rule *found; /* NULL: no rule yet */
	const struct lookup_rule *least; /* the asker's, to remember one by */
};

struct match {
	const struct policy *policy;
	const struct lookup *lookup;
	const struct question *question;
	const struct lookup_place *place; /* the most exact; NULL: none */
	struct glob_path path;
	struct match_agent *agents; /* borrowed */
	size_t count;
	size_t missing; /* agents for which nothing is found */
	uint32_t tool;  /* hashes of names */
	uint32_t model;
	bool flagged; /* the act is more than its name says */
};

/*
 * match_open - what is the same for all tiers and agents of a question
 *
 * @agents: room for all that will be added
 */
void match_open(struct match *match, const struct policy *policy,
		const struct question *question, struct match_agent *agents);

/* match_drop - release what @match owns */
void match_drop(struct match *match);

/* match_add - ask for @kind too; one that is there already is one */
void match_add(struct match *match, struct span kind);

/* match_again - nothing is found yet */
void match_again(struct match *match);

/* match_tier - find the rules of @tier, for agents that have none yet */
void match_tier(struct match *match, unsigned int tier);

/*
 * match_differs - the field of who asks by which @rule does not match, or NULL
 */
const char *match_differs(const struct policy_rule *rule,
			  const struct question *question, struct span agent);

#endif /* CHOCK_POLICY_MATCH_H */
