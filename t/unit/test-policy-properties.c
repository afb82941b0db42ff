/* SPDX-License-Identifier: ISC */
/* decide: what holds of every policy, tried on ten thousand for each */

#include <stdlib.h>

#include "base/why.h"
#include "plain-policy.h"
#include "random-policy.h"
#include "tap.h"

#define ROUNDS 10000
#define SEED UINT64_C(0x6368636b)
#define LAYERS 4

/* The files of a policy: one a layer, and ceilings. */
struct files {
	struct drawn layers[LAYERS];
	struct drawn ceilings[2];
	size_t ceiling_count;
};

static void fail(const char *text, const struct why *why)
{
	printf("# cannot be read: %s\n%s", why->text, text);
	exit(1);
}

static void add(struct draw *draw, struct policy *policy,
		const struct drawn *drawn, enum policy_layer layer)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	drawn_text(draw, drawn, &text);
	if (policy_add(policy, "drawn", buf_span(&text), layer, NULL, &why) < 0)
		fail(buf_str(&text), &why);
}

static void draw_files(struct draw *draw, struct files *files)
{
	size_t i;

	for (i = 0; i < LAYERS; i++)
		draw_file(draw, &files->layers[i]);
	files->ceiling_count = draw_below(draw, 3);
	for (i = 0; i < files->ceiling_count; i++)
		draw_file(draw, &files->ceilings[i]);
}

/* Layers may say different things about one agent's parent; then the policy
 * cannot be read, and one list of agents is kept. */
static void keep_one_list(struct files *files)
{
	size_t i, j, kept;
	bool seen = false;

	for (i = 0; i < LAYERS; i++) {
		struct drawn *drawn = &files->layers[i];
		bool has = false;

		for (j = kept = 0; j < drawn->count; j++) {
			bool agent = !strncmp(drawn->lines[j], "agent ", 6);

			has = has || agent;
			if (agent && seen)
				continue;
			memmove(drawn->lines[kept++], drawn->lines[j],
				DRAWN_LINE_MAX);
		}
		drawn->count = kept;
		seen = seen || has;
	}
}

static void make(struct draw *draw, const struct files *files,
		 struct policy *policy)
{
	size_t i;

	for (i = 0; i < LAYERS; i++)
		add(draw, policy, &files->layers[i], (enum policy_layer)i);
	for (i = 0; i < files->ceiling_count; i++)
		add(draw, policy, &files->ceilings[i], POLICY_CEILING);
}

/* ---- properties --------------------------------------------------------- */

/* One round: what was drawn, and the answer to it. */
struct round {
	struct files files;
	struct policy policy;
	struct asker asker;
	struct question question;
	struct answer answer;
};

static struct round *start(struct draw *draw)
{
	static struct round round;

	draw_files(draw, &round.files);
	keep_one_list(&round.files);
	round.policy = (struct policy){ 0 };
	make(draw, &round.files, &round.policy);
	draw_question(draw, &round.question, &round.asker);
	round.answer = decide(&round.policy, &round.question);
	return &round;
}

static bool order(struct draw *draw, struct round *round)
{
	autopolicy struct policy other = { 0 };
	struct answer answer;

	make(draw, &round->files, &other);
	answer = decide(&other, &round->question);
	return answer.decision == round->answer.decision &&
	       answer.by == round->answer.by;
}

static bool table(struct draw *draw, struct round *round)
{
	(void)draw;
	return plain_agrees(&round->policy, &round->question);
}

static bool ceiling_rule(struct draw *draw, struct round *round)
{
	struct drawn one = { .kinds = DRAWN_ALL_KINDS };

	draw_rules(draw, &one, 1);
	add(draw, &round->policy, &one, POLICY_CEILING);
	return decide(&round->policy, &round->question).decision >=
	       round->answer.decision;
}

/* As chock adds it before anybody trusts it. */
static bool project_file(struct draw *draw, struct round *round)
{
	struct drawn file;

	draw_file(draw, &file);
	add(draw, &round->policy, &file, POLICY_CEILING);
	return decide(&round->policy, &round->question).decision >=
	       round->answer.decision;
}

static bool longer_chain(struct draw *draw, struct round *round)
{
	struct asker *asker = &round->asker;
	size_t at = draw_below(draw, asker->chain_count + 1);

	memmove(&asker->chain[at + 1], &asker->chain[at],
		(asker->chain_count - at) * sizeof(*asker->chain));
	asker->chain[at] = span_of(DRAW_FROM(draw, drawn_kinds));
	asker->chain_count++;
	return decide(&round->policy, &round->question).decision >=
	       round->answer.decision;
}

/* An agent that is declared without a parent gets one. */
static bool new_parent(struct draw *draw, struct round *round)
{
	autopolicy struct policy other = { 0 };
	struct files files = round->files;
	size_t i, j;

	for (i = 0; i < LAYERS; i++)
		for (j = 0; j < files.layers[i].count; j++) {
			char *line = files.layers[i].lines[j];

			if (!strncmp(line, "agent ", 6) &&
			    strcmp(line, "agent main") != 0 &&
			    !strstr(line, " parent "))
				strcat(line, " parent main");
		}
	make(draw, &files, &other);
	return decide(&other, &round->question).decision >=
	       round->answer.decision;
}

static void hold(const char *name,
		 bool (*property)(struct draw *draw, struct round *round))
{
	struct draw draw = { SEED };
	unsigned int seen = 0;
	int broken = 0, i;

	for (i = 0; i < ROUNDS; i++) {
		struct round *round = start(&draw);

		seen |= 1U << round->answer.decision;
		if (!property(&draw, round) && !broken++)
			printf("# round %d: '%.*s'\n", i,
			       (int)round->question.action.len,
			       round->question.action.data);
		policy_drop(&round->policy);
	}
	ok(!broken && seen == (1U << DECISIONS) - 1, name);
}

int main(void)
{
	printf("# seed %#llx, %d policies a property\n",
	       (unsigned long long)SEED, ROUNDS);
	hold("finds what comparing all rules finds", table);
	hold("answers the same in every order of lines", order);
	hold("permits no more below one ceiling rule more", ceiling_rule);
	hold("permits no more with a project's file", project_file);
	hold("permits no more to a longer chain", longer_chain);
	hold("permits no more to an agent that gets a parent", new_parent);
	return tap_end();
}
