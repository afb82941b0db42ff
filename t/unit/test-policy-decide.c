/* SPDX-License-Identifier: ISC */
/* decide: what holds of every policy, tried on policies that are drawn */

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/decide.h"
#include "tap.h"

#define LINES 8
#define ROUNDS 3000

static const char *const actions[] = { "git.push", "git.branch.delete",
				       "call.x", "net.listen" };
static const char *const patterns[] = {
	"any", "git.*", "git.push", "git.branch.*", "call.x", "net.listen"
};
static const char *const extras[] = {
	"",        " agent a", " agent b",          " model m",
	" tool t", " port 80", " port 80 proto tcp"
};

static unsigned int draw(unsigned int below)
{
	static unsigned int state = 4711;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

#define PICK(array) ((array)[draw(sizeof(array) / sizeof(*(array)))])

static void draw_line(char *line, size_t room)
{
	(void)snprintf(line, room, "%s %s%s\n", PICK(decision_words),
		       PICK(patterns), PICK(extras));
}

/* A policy of @lines from @first on; a line that is there twice counts once. */
static void make(struct policy *policy, char lines[LINES][80], size_t first,
		 enum policy_layer layer)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	size_t i, j;

	for (i = 0; i < LINES; i++) {
		const char *line = lines[(first + i) % LINES];

		for (j = 0; j < i; j++)
			if (!strcmp(line, lines[(first + j) % LINES]))
				break;
		if (j == i)
			buf_adds(&text, line);
	}
	if (policy_add(policy, "drawn", buf_span(&text), layer, NULL, &why))
		printf("# %s\n", why.text);
}

static void draw_question(struct question *question, struct asker *asker)
{
	*asker = (struct asker){ .chain_count = 1 };
	*question = (struct question){ .asker = asker };
	question->action = span_of(PICK(actions));
	asker->chain[0] = span_of(draw(2) ? "a" : "b");
	asker->chain[1] = span_of(draw(2) ? "a" : "c");
	if (draw(2))
		asker->model = span_of("m");
	if (draw(2))
		asker->tool = span_of("t");
	question->act.has_port = draw(2);
	question->act.port = 80;
	if (draw(2))
		question->act.proto = span_of("tcp");
}

static void properties(void)
{
	bool order = true, ceiling = true, chain = true, rules = true;
	unsigned int seen = 0;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		autopolicy struct policy one = { 0 }, two = { 0 };
		char lines[LINES][80], above[LINES][80];
		struct question question;
		struct asker asker;
		struct answer plain, other;
		size_t j;

		for (j = 0; j < LINES; j++) {
			draw_line(lines[j], sizeof(lines[j]));
			draw_line(above[j], sizeof(above[j]));
		}
		draw_question(&question, &asker);
		make(&one, lines, 0, POLICY_PROJECT);
		make(&two, lines, 1 + draw(LINES - 1), POLICY_PROJECT);
		plain = decide(&one, &question);
		other = decide(&two, &question);
		order = order && plain.decision == other.decision;
		rules = rules && !plain.rule == !other.rule;
		make(&two, above, 0, POLICY_CEILING);
		other = decide(&two, &question);
		ceiling = ceiling && other.decision >= plain.decision;
		asker.chain_count = 2;
		other = decide(&one, &question);
		chain = chain && other.decision >= plain.decision;
		seen |= 1U << plain.decision;
	}
	ok(seen == (1U << DECISIONS) - 1, "gives every decision");
	ok(order && rules, "answers the same in every order of lines");
	ok(ceiling, "never permits more below a ceiling");
	ok(chain, "never permits more to a longer chain");
}

static void many(void)
{
	autopolicy struct policy policy = { 0 };
	autobuf struct buf text = { 0 };
	struct asker asker = { .chain_count = 1 };
	struct question question = { .asker = &asker };
	struct why why = { 0 };
	struct answer answer;
	int i;

	for (i = 0; i < POLICY_STATEMENTS_MAX; i++)
		buf_addf(&text, "deny call.tool%d\n", i);
	ok(!policy_add(&policy, "p", buf_span(&text), POLICY_PROJECT, NULL,
		       &why),
	   "takes as many rules as a file can have");
	asker.chain[0] = span_of("main");
	question.action = span_of("call.tool4095");
	answer = decide(&policy, &question);
	ok(answer.rule && answer.rule->origin.line == 4096,
	   "finds the one of many");
	question.action = span_of("call.tool4096");
	answer = decide(&policy, &question);
	ok(!answer.rule && answer.decision == DECISION_ASK,
	   "finds none where there is none");
}

int main(void)
{
	properties();
	many();
	return tap_end();
}
