/* SPDX-License-Identifier: ISC */
/* explain: what is said to allow an act does allow it, and nothing less */

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/decide.h"
#include "policy/explain.h"
#include "tap.h"

#define ROUNDS 10000
#define LINES 5
#define ADD "to allow it: add '"

static unsigned int draw(unsigned int below)
{
	static unsigned int state = 4242;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

#define PICK(array) ((array)[draw(sizeof(array) / sizeof(*(array)))])

static const char *const patterns[] = { "any", "git.*", "git.push", "net.*",
					"net.http.org.a" };
static const char *const extras[] = {
	"",         "",         " port 80",        " websocket",
	" agent a", " agent b", " agent a model m"
};

static void draw_lines(struct buf *text)
{
	unsigned int i;

	for (i = 0; i < LINES; i++)
		buf_addf(text, "%s %s%s\n", PICK(decision_words),
			 PICK(patterns), PICK(extras));
}

/* The layers of one round, as text: a line is added to one of them. */
struct layers {
	struct buf project;
	struct buf operator;
	struct buf ceiling;
};

static bool make(struct policy *policy, const struct layers *layers)
{
	struct why why = { 0 };

	return !policy_add(policy, "project", buf_span(&layers->project),
			   POLICY_PROJECT, NULL, &why) &&
	       !policy_add(policy, "operator", buf_span(&layers->operator),
			   POLICY_OPERATOR, NULL, &why) &&
	       !policy_add(policy, "ceiling", buf_span(&layers->ceiling),
			   POLICY_CEILING, NULL, &why);
}

/* Does what @advice says, "RULE' to FILE". */
static void follow(struct layers *layers, struct span advice)
{
	struct buf *to = &layers->project;
	size_t len = 0;

	while (len < advice.len && advice.data[len] != '\'')
		len++;
	if (span_starts(span_from(advice, len), "' to operator\n"))
		to = &layers->operator;
	buf_add(to, (struct span){ advice.data, len });
	buf_addc(to, '\n');
}

static void ask(struct question *question, struct asker *asker)
{
	static const char *const agents[] = { "a", "b" };

	*asker = (struct asker){ .chain_count = 1 + draw(2) };
	asker->chain[0] = span_of(PICK(agents));
	asker->chain[1] = span_of(PICK(agents));
	asker->model = span_of("m");
	question->asker = asker;
	question->action = span_of(draw(2) ? "git.push" : "net.http.org.a");
	question->act.has_port = draw(2);
	question->act.port = 80;
	question->act.websocket = draw(2);
}

/* Counts the rounds in which a line was added; returns whether it was right. */
static bool round_holds(size_t *added)
{
	autobuf struct buf lines = { 0 };
	autopolicy struct policy before = { 0 };
	autopolicy struct policy after = { 0 };
	struct layers layers = { .project = { 0 } };
	struct question question = { .asker = NULL };
	struct asker asker;
	const char *advice;
	bool holds = true;

	draw_lines(&layers.project);
	draw_lines(&layers.operator);
	if (!draw(4))
		buf_addf(&layers.ceiling, "%s git.push\n",
			 PICK(decision_words));
	ask(&question, &asker);
	/* A line that is drawn twice is an error, and no policy of the test. */
	if (make(&before, &layers)) {
		explain(&lines, &before, &question);
		advice = strstr(buf_str(&lines), ADD);
		holds = advice || strstr(buf_str(&lines), "to allow it: ") ||
			decide(&before, &question).decision == DECISION_ALLOW;
		if (advice) {
			follow(&layers, span_of(advice + strlen(ADD)));
			holds = make(&after, &layers) &&
				decide(&after, &question).decision ==
					DECISION_ALLOW;
			(*added)++;
		}
	}
	if (!holds)
		printf("# %s\n", buf_str(&lines));
	buf_drop(&layers.project);
	buf_drop(&layers.operator);
	buf_drop(&layers.ceiling);
	return holds;
}

int main(void)
{
	size_t added = 0;
	unsigned int round;

	for (round = 0; round < ROUNDS && round_holds(&added); round++)
		continue;
	ok(round == ROUNDS, "what is said to allow it does, wherever it says");
	ok(added > ROUNDS / 20, "and it is said often");
	return tap_end();
}
