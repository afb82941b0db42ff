/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_DECIDE_H
#define CHOCK_POLICY_DECIDE_H

/*
 * decide - the answer of a policy to a question
 *
 * The layers answer first: the first of them with a rule that matches, by its
 * most exact one.  Then each ceiling may lower that answer.  All this happens
 * for every agent of the chain and for what those are declared to be below,
 * and the most restrictive answer counts.  Last, so does what the restrictions
 * in force permit.
 *
 * Invariants
 *   - An answer is a function of policy and question and of nothing else.
 *   - Neither the order of statements nor that of agents changes it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"
#include "policy/agent.h"
#include "policy/attributes.h"
#include "policy/decision.h"
#include "policy/policy.h"
#include "policy/rule.h"

struct why;

#define CHAIN_MAX 64 /* agents of a chain */
#define DECIDE_AGENTS_MAX (CHAIN_MAX + AGENTS_MAX)

/* Who asks; the questions of one call have one asker. */
struct asker {
	struct span tool; /* borrowed; without data: no tool asks */
	struct span model;
	struct span chain[CHAIN_MAX]; /* kinds of agents, root first */
	size_t chain_count;
};

#define QUESTION_NOTES_MAX 8 /* kept; they are for a person */

struct question {
	struct span action; /* borrowed, as all that follows */
	struct act act;
	const struct asker *asker;
	struct span notes[QUESTION_NOTES_MAX]; /* why it is asked, if said */
	size_t note_count;
	struct buf path; /* owned; what decide_prepare() took from action */
};

/* Why an answer is what it is. */
enum answer_by {
	ANSWER_BY_RULE,
	ANSWER_UNNAMED, /* no layer has a rule that matches */
	ANSWER_CHAIN,   /* the chain of agents is broken */
	ANSWER_KIND,    /* one of its agents is of an unknown kind */
	ANSWER_NOTHING, /* nothing was asked */
	ANSWER_RESTRICTION,
	ANSWER_SUBAGENTS, /* no more agents can be started */
};

struct answer {
	enum policy_decision decision;
	enum answer_by by;
	const struct policy_rule *rule; /* the policy's; ANSWER_BY_RULE */
	const struct restriction *restriction; /* ANSWER_RESTRICTION */
	const struct policy_statement
		*statement; /* or NULL, ANSWER_SUBAGENTS */
	struct span agent;  /* the one for which it is the answer */
};

/*
 * decide_prepare - whether @question can be asked
 *
 * Where the action names a path, the act gets it as an attribute.  Must be
 * called before anything else is done with a question; decide_release()
 * releases what it took.
 *
 * Returns 0 or -EINVAL.
 */
int decide_prepare(struct question *question, struct why *why);

/* decide_release - release what decide_prepare() took */
void decide_release(struct question *question);

/* decide - the answer of @policy to @question */
struct answer decide(const struct policy *policy,
		     const struct question *question);

/*
 * decide_lowers - whether @other counts where @least has so far
 *
 * It does if it is more restrictive.  Of two that allow, one by the shipped
 * defaults or by no rule counts, so that what is allowed by somebody's rules is
 * allowed by them in all of its parts.
 */
bool decide_lowers(const struct answer *least, const struct answer *other);

/* decide_min - keep in @least the one of it and @other that counts */
void decide_min(struct answer *least, struct answer other);

/*
 * decide_tier - the rule of @tier that decides for @agent, or NULL
 */
const struct policy_rule *decide_tier(const struct policy *policy,
				      unsigned int tier,
				      const struct question *question,
				      struct span agent);

/*
 * decide_differs - the field by which @rule does not match, or NULL
 *
 * The rule's action must.
 */
const char *decide_differs(const struct policy_rule *rule,
			   const struct question *question, struct span agent);

/*
 * decide_agents - all agents whose answers count for @asker
 *
 * Those of the chain, and what any of them is declared to be below.  Returns
 * how many there are.
 */
size_t decide_agents(const struct policy *policy, const struct asker *asker,
		     struct span agents[DECIDE_AGENTS_MAX]);

#endif /* CHOCK_POLICY_DECIDE_H */
