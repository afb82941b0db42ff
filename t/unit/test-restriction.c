/* SPDX-License-Identifier: ISC */
/* restriction: it only lowers, binds who it names and all below, and is lifted
 * by its own name alone */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/decide.h"
#include "policy/field.h"
#include "policy/restriction.h"
#include "tap.h"

#define ROUNDS 10000
#define LINES 6
#define DRAWN 4 /* restrictions a round */

#define PICK(array) ((array)[draw(sizeof(array) / sizeof(*(array)))])

static const char *const actions[] = { "git.push", "git.branch.delete",
				       "call.x", "workspace.integrate" };
static const char *const patterns[] = { "any",      "git.*",
					"git.push", "git.branch.*",
					"call.x",   "workspace.integrate" };

static unsigned int draw(unsigned int below)
{
	static unsigned int state = 815;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static int restrict_to(struct restrictions *all, const char *action,
		       enum policy_decision at_most, const char *chain,
		       size_t agents)
{
	struct restriction new = { .action = action,
				   .at_most = at_most,
				   .reason = "drawn",
				   .chain = chain,
				   .agents = agents };
	struct why why = { 0 };

	if (field_read_action(&new.field, action, &why) < 0)
		printf("# %s\n", why.text);
	return restriction_add(all, &new, &why);
}

static int lift(struct restrictions *all, const char *action)
{
	const struct restriction_name name = { .action = action,
					       .at_most = DECISIONS };
	struct why why = { 0 };

	return restriction_lift(all, &name, &why);
}

static enum policy_decision ask(const struct policy *policy, const char *action,
				const char *child)
{
	struct asker asker = { .chain_count = child ? 2 : 1 };
	const struct question question = { .action = span_of(action),
					   .asker = &asker };

	asker.chain[0] = span_of("main");
	asker.chain[1] = span_of(child);
	return decide(policy, &question).decision;
}

static void make(struct policy *policy)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	int i;

	/* The port keeps a line from being there twice. */
	for (i = 0; i < LINES; i++)
		buf_addf(&text, "%s %s port 1,%d\n", PICK(decision_words),
			 PICK(patterns), i + 2);
	buf_addf(&text, "%s %s\n", PICK(decision_words), PICK(patterns));
	if (policy_add(policy, "drawn", buf_span(&text), POLICY_PROJECT, NULL,
		       &why))
		printf("# %s\n", why.text);
}

static void properties(void)
{
	bool lower = true, least = true, back = true;
	unsigned int lowered = 0;
	int i, j;

	for (i = 0; i < ROUNDS; i++) {
		autopolicy struct policy policy = { 0 };
		autorestrictions struct restrictions all = { 0 };
		const char *action = PICK(actions);
		const char *child = draw(2) ? "child" : NULL;
		enum policy_decision first, before, after;

		make(&policy);
		policy.restrictions = &all;
		first = before = ask(&policy, action, child);
		for (j = 0; j < DRAWN; j++) {
			(void)restrict_to(
				&all, PICK(patterns),
				(enum policy_decision)(1 + draw(DECISIONS - 1)),
				"main\0child", 1 + draw(2));
			after = ask(&policy, action, child);
			lower = lower && after >= before;
			lowered += after > before;
			before = after;
		}
		(void)restrict_to(&all, "any", DECISION_DENY, "main", 1);
		least = least && ask(&policy, action, child) == DECISION_DENY;
		restrictions_drop(&all);
		back = back && ask(&policy, action, child) == first;
	}
	ok(lower, "never raises an answer");
	ok(lowered > ROUNDS / 10, "lowers some");
	ok(least, "denies everything where any is restricted to deny");
	ok(back, "leaves nothing behind");
}

static void chains(void)
{
	autopolicy struct policy policy = { 0 };
	autorestrictions struct restrictions all = { 0 };
	struct why why = { 0 };

	(void)policy_add(&policy, "p", span_of("allow any\n"), POLICY_PROJECT,
			 NULL, &why);
	policy.restrictions = &all;
	ok(restrict_to(&all, "git.*", DECISION_ASK, "main\0child", 2) == 1,
	   "counts from one");
	ok(ask(&policy, "git.push", "child") == DECISION_ASK &&
		   ask(&policy, "git.push", NULL) == DECISION_ALLOW &&
		   ask(&policy, "git.push", "other") == DECISION_ALLOW &&
		   ask(&policy, "git.push", "chil") == DECISION_ALLOW,
	   "binds the chain that it names and no other");
	ok(restrict_to(&all, "git.push", DECISION_DENY, "main", 1) == 2 &&
		   ask(&policy, "git.push", "child") == DECISION_DENY &&
		   ask(&policy, "git.pull", "child") == DECISION_ASK &&
		   ask(&policy, "git.pull", NULL) == DECISION_ALLOW,
	   "binds every agent below");
	ok(restrict_to(&all, "call.x", DECISION_DENY, NULL, 0) == 3 &&
		   ask(&policy, "call.x", "other") == DECISION_DENY,
	   "binds everybody where no chain is named");
}

static void lifting(void)
{
	autopolicy struct policy policy = { 0 };
	autorestrictions struct restrictions all = { 0 };
	struct restriction_name name = { .action = "git.*",
					 .at_most = DECISIONS };
	struct why why = { 0 };

	policy.restrictions = &all;
	(void)restrict_to(&all, "git.*", DECISION_ASK, "main", 1);
	ok(lift(&all, "git.push") == -ENOENT && lift(&all, "git") == -ENOENT &&
		   lift(&all, "any") == -ENOENT && all.count == 1,
	   "is lifted by no other name");
	ok(restrict_to(&all, "git.*", DECISION_ASK, "main", 1) == 1 &&
		   all.count == 1,
	   "counts once what is restricted twice");
	(void)restrict_to(&all, "git.*", DECISION_DENY, "main", 1);
	(void)restrict_to(&all, "git.*", DECISION_ASK, "main\0child", 2);
	ok(lift(&all, "git.*") == -EINVAL && all.count == 3,
	   "is not lifted by a name that several have");
	name.chain = "main";
	name.agents = 1;
	ok(restriction_lift(&all, &name, &why) == -EINVAL, "nor by a chain");
	name.at_most = DECISION_DENY;
	ok(restriction_lift(&all, &name, &why) == 2 && all.count == 2 &&
		   ask(&policy, "git.push", NULL) == DECISION_ASK,
	   "is lifted alone");
	ok(restrict_to(&all, "git.*", DECISION_DENY, "main", 1) == 4,
	   "gives no number twice");
}

static void bounds(void)
{
	autopolicy struct policy policy = { 0 };
	autorestrictions struct restrictions all = { 0 };
	struct why why = { 0 };
	char action[32];
	int i, r = 0;

	(void)policy_add(&policy, "p", span_of("allow any\n"), POLICY_PROJECT,
			 NULL, &why);
	policy.restrictions = &all;
	for (i = 1; i <= RESTRICTIONS_MAX; i++) {
		(void)snprintf(action, sizeof(action), "call.t%d", i);
		r = restrict_to(&all, action, DECISION_DENY, "main", 1);
	}
	ok(r == RESTRICTIONS_MAX &&
		   ask(&policy, "call.x", NULL) == DECISION_ALLOW,
	   "takes as many as can be in force");
	ok(restrict_to(&all, "call.t1", DECISION_DENY, "main", 1) == 1 &&
		   !all.full,
	   "has room for what is in force already");
	ok(restrict_to(&all, "call.more", DECISION_ASK, "other", 1) ==
			   -ENOSPC &&
		   ask(&policy, "call.x", NULL) == DECISION_DENY,
	   "denies everything once one could not be taken");
	ok(lift(&all, "call.t1") == 1 &&
		   ask(&policy, "call.x", NULL) == DECISION_DENY,
	   "and goes on to when there is room again");
}

int main(void)
{
	properties();
	chains();
	lifting();
	bounds();
	return tap_end();
}
