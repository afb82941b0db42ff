/* SPDX-License-Identifier: ISC */
/* group: runs of hundreds of rules that differ by who asks */

#include <stdlib.h>

#include "base/why.h"
#include "plain-policy.h"
#include "policy/group.h"
#include "policy/lookup.h"
#include "random-policy.h"
#include "tap.h"

#define ROUNDS 300
#define QUESTIONS 8 /* of each policy */
#define SEED UINT64_C(0x63726f77)

/* The last two have one hash. */
static const char *const crowd_kinds[] = {
	"main", "a",  "b",  "c",  "team.x", "team.x.y", "team.z",  "w1",
	"w2",   "w3", "w4", "w5", "w6",     "w7",       "w268973", "w300994",
};

#define KINDS (sizeof(crowd_kinds) / sizeof(*crowd_kinds))
#define CROWD_MAX ((unsigned int)(4 + KINDS) * 12) /* rules of a crowd */

static const char *const crowd_actions[] = { "git.push", "git.*", "any" };

/* The fields of who asks, by number: no two numbers give the same. */
static void crowd_fields(struct buf *line, unsigned int number)
{
	static const char *const agents[] = { "", " agent team.*",
					      " agent team.x.*",
					      " agent stranger" };
	static const char *const tools[] = { "", " tool run_command",
					     " tool mcp.time.*",
					     " tool mcp.time.now" };
	static const char *const models[] = { "", " model m.one",
					      " model m.*" };
	unsigned int agent = number / 12;

	if (agent < 4)
		buf_adds(line, agents[agent]);
	else
		buf_addf(line, " agent %s", crowd_kinds[agent - 4]);
	buf_adds(line, tools[number % 4]);
	buf_adds(line, models[number / 4 % 3]);
}

/* From a few to hundreds of rules; most of them match whatever the act is. */
static void draw_crowd(struct draw *draw, struct buf *text, const char *action)
{
	unsigned int one_in = 1 + draw_below(draw, 12);
	unsigned int i;

	for (i = 0; i < CROWD_MAX; i++) {
		if (draw_below(draw, one_in))
			continue;
		buf_addf(text, "%s %s", DRAW_FROM(draw, decision_words),
			 action);
		crowd_fields(text, i);
		if (!draw_below(draw, 3))
			draw_attributes(draw, text);
		buf_addc(text, '\n');
	}
}

static void add_crowds(struct draw *draw, struct policy *policy,
		       enum policy_layer layer)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	size_t i;

	for (i = 0; i < sizeof(crowd_actions) / sizeof(*crowd_actions); i++)
		if (draw_below(draw, 2))
			draw_crowd(draw, &text, crowd_actions[i]);
	if (policy_add(policy, "crowd", buf_span(&text), layer, NULL, &why) ==
	    0)
		return;
	printf("# cannot be read: %s\n%s", why.text, buf_str(&text));
	exit(1);
}

static bool ask_crowd(struct draw *draw, const struct policy *policy)
{
	struct question question;
	struct asker asker;
	size_t i;

	draw_question(draw, &question, &asker);
	question.action =
		span_of(draw_below(draw, 2) ? "git.push" : "git.branch.list");
	for (i = 0; i < asker.chain_count; i++)
		asker.chain[i] = span_of(DRAW_FROM(draw, crowd_kinds));
	return plain_agrees(policy, &question);
}

static void count_runs(const struct policy *policy, size_t *small,
		       size_t *large)
{
	const struct lookup *lookup = lookup_of(policy);
	size_t i;

	for (i = 0; lookup && i < lookup->run_count; i++)
		*(lookup->runs[i].count > GROUP_RUN_MAX ? large : small) += 1;
}

int main(void)
{
	struct draw draw = { SEED };
	size_t small = 0, large = 0;
	int broken = 0, i, j;

	printf("# seed %#llx, %d policies\n", (unsigned long long)SEED, ROUNDS);
	for (i = 0; i < ROUNDS; i++) {
		autopolicy struct policy policy = { 0 };

		add_crowds(&draw, &policy, POLICY_PROJECT);
		add_crowds(&draw, &policy, POLICY_OPERATOR);
		add_crowds(&draw, &policy, POLICY_CEILING);
		for (j = 0; j < QUESTIONS; j++)
			if (!ask_crowd(&draw, &policy) && !broken++)
				printf("# policy %d, question %d\n", i, j);
		count_runs(&policy, &small, &large);
	}
	printf("# %zu runs with groups, %zu without\n", large, small);
	ok(lookup_name(span_of(crowd_kinds[KINDS - 1])) ==
		   lookup_name(span_of(crowd_kinds[KINDS - 2])),
	   "has two agents with one hash");
	ok(small && large, "has crowds with groups and without");
	ok(!broken, "finds in a crowd what comparing all rules finds");
	return tap_end();
}
