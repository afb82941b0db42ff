/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_LOOKUP_H
#define CHOCK_POLICY_LOOKUP_H

/*
 * lookup - how the rules and agents of a policy are found
 *
 * All rules with one action, whichever tier they are of, are a place.  A hash
 * table leads to the places; from a place, above leads to the place of the
 * next wider class that there is, and at last to that of "any".  So a
 * decision looks for its action once, whatever the number of tiers, ceilings
 * and agents is.  The rules of one place and tier are a run, the one that wins
 * first: the first that matches decides.  A long run is searched by group.
 *
 * Invariants
 *   - It is made when it is first needed after a rule or an agent was added,
 *     and says nothing that the rules and agents do not.
 *   - What a decision looks at is apart from what messages are made of.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "policy/rule.h"

/* A rule as far as most questions need it; hashes are 0 where any name fits,
 * and where a class does. */
struct lookup_rule {
	uint32_t tool;
	uint32_t model;
	uint32_t agent;
	uint32_t number;  /* of the rule */
	uint8_t decision; /* enum policy_decision */
	bool bare;        /* it names nothing but its action */
};

/* The rules of one place and tier. */
struct lookup_run {
	uint32_t tier;
	uint32_t first;
	uint32_t count;
	uint8_t kinds; /* bits 1 << kind of its groups; 0: it has none */
};

/* The first rule of a group; see policy/group.h. */
struct lookup_group {
	uint32_t tag;   /* of the hash */
	uint32_t first; /* where in rules + 1; 0: free */
};

struct lookup_place {
	struct rule_field action;
	uint32_t above; /* number + 1; 0: none */
	uint32_t first; /* run */
	uint32_t count;
};

struct lookup_slot {
	uint32_t tag;   /* of the hash */
	uint32_t place; /* number + 1; 0: free */
};

struct lookup {
	struct lookup_rule *rules; /* owned, as all that follow */
	struct lookup_run *runs;
	struct lookup_place *places;
	struct lookup_slot *slots;
	struct lookup_group *groups; /* NULL: no run is long */
	uint32_t *peers;  /* beside rules: where the next of the group is + 1 */
	uint32_t *agents; /* numbers of agents, by kind and list */
	size_t rule_count;
	size_t run_count;
	size_t place_count;
	size_t slot_count;  /* a power of two */
	size_t group_slots; /* a power of two */
	size_t agent_count;
	size_t agent_lists; /* that are not empty */
	bool made;
	bool by_name; /* some rule wants an exact tool, model or agent */
};

/* lookup_touch - @policy has changed, so what it has is to be made anew */
void lookup_touch(struct policy *policy);

/* lookup_drop - release what @policy has */
void lookup_drop(struct policy *policy);

/*
 * lookup_of - what @policy has, made if need be; NULL for an empty policy
 */
const struct lookup *lookup_of(const struct policy *policy);

/*
 * lookup_place - the place of @action or, if @above, also the nearest above it
 *
 * Returns NULL where there is none.
 */
const struct lookup_place *lookup_place(const struct lookup *lookup,
					struct rule_field action, bool above);

/* lookup_above - the place of the next wider class, or NULL */
const struct lookup_place *lookup_above(const struct lookup *lookup,
					const struct lookup_place *place);

/* lookup_run - the rules of @place that are of @tier, or NULL */
const struct lookup_run *lookup_run(const struct lookup *lookup,
				    const struct lookup_place *place,
				    unsigned int tier);

/* lookup_name - the hash of a tool's, model's or agent's exact name, never 0 */
uint32_t lookup_name(struct span name);

/*
 * lookup_agents - where in agents those of @kind start
 *
 * Their number is put into @count.
 */
const uint32_t *lookup_agents(const struct policy *policy, struct span kind,
			      size_t *count);

#endif /* CHOCK_POLICY_LOOKUP_H */
