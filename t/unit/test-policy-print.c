/* SPDX-License-Identifier: ISC */
/* print: what is printed reads as what it was printed from */

#include <stdlib.h>

#include "base/why.h"
#include "policy/list.h"
#include "policy/pool.h"
#include "policy/print.h"
#include "policy/shape.h"
#include "policy/words.h"
#include "random-policy.h"
#include "tap.h"

#define ROUNDS 10000
#define SEED UINT64_C(0x7072696e74)
#define STATEMENTS (sizeof(drawn_statements) / sizeof(*drawn_statements))

static bool reads(struct policy *policy, const struct buf *text)
{
	struct why why = { 0 };

	if (!policy_add(policy, "drawn", buf_span(text), POLICY_PROJECT, NULL,
			&why))
		return true;
	printf("# cannot be read: %s\n", why.text);
	return false;
}

static void print_all(struct buf *text, const struct policy *policy)
{
	autobuf struct buf line = { 0 };
	size_t i;

	for (i = 0; i < policy->agent_count; i++, buf_reset(&line)) {
		print_agent(&line, &policy->agents[i]);
		buf_addf(text, "%s\n", buf_str(&line));
	}
	for (i = 0; i < policy->rule_count; i++, buf_reset(&line)) {
		print_rule(&line, &policy->rules[i]);
		buf_addf(text, "%s\n", buf_str(&line));
	}
	for (i = 0; i < policy->statement_count; i++, buf_reset(&line)) {
		print_statement(&line, &policy->statements[i]);
		buf_addf(text, "%s\n", buf_str(&line));
	}
}

static bool same_field(struct rule_field a, struct rule_field b)
{
	return !a.name.data == !b.name.data && a.class == b.class &&
	       span_equal(a.name, b.name);
}

static bool same_rules(const struct policy *a, const struct policy *b)
{
	size_t i;

	for (i = 0; i < a->rule_count && i < b->rule_count; i++) {
		const struct policy_rule *one = &a->rules[i];
		const struct policy_rule *two = &b->rules[i];

		if (one->decision != two->decision ||
		    !same_field(one->action, two->action) ||
		    !same_field(one->tool, two->tool) ||
		    !same_field(one->model, two->model) ||
		    !same_field(one->agent, two->agent) ||
		    !attributes_equal(&one->attributes, &two->attributes))
			return false;
	}
	return a->rule_count == b->rule_count;
}

static bool same_statements(const struct policy *a, const struct policy *b)
{
	size_t i, j;

	if (a->statement_count != b->statement_count)
		return false;
	for (i = 0; i < a->statement_count; i++) {
		const struct policy_statement *one = &a->statements[i];
		const struct policy_statement *two = &b->statements[i];

		if (one->keyword != two->keyword || one->count != two->count)
			return false;
		for (j = 0; j < one->count; j++)
			if (strcmp(one->words[j], two->words[j]) != 0)
				return false;
	}
	return true;
}

/* A statement that this version cannot hold is no part of a policy. */
static void draw_held(struct draw *draw, struct drawn *drawn)
{
	autopolicy struct policy alone = { 0 };
	autobuf struct buf line = { 0 };
	struct why why = { 0 };
	size_t i;

	draw_statement(draw, &line, draw_below(draw, STATEMENTS));
	/* What one file says once. */
	for (i = 0; i < drawn->count; i++)
		if (!strncmp(drawn->lines[i], buf_str(&line),
			     strcspn(buf_str(&line), " ")))
			return;
	buf_addc(&line, '\n');
	if (policy_add(&alone, "drawn", buf_span(&line), POLICY_PROJECT, NULL,
		       &why) < 0 &&
	    strstr(why.text, "this version cannot"))
		return;
	buf_cut(&line, line.len - 1);
	(void)drawn_add(drawn, &line);
}

static bool round_trip(struct draw *draw, size_t *statements)
{
	autopolicy struct policy first = { 0 }, second = { 0 }, third = { 0 };
	autobuf struct buf text = { 0 }, printed = { 0 }, again = { 0 };
	autobuf struct buf list = { 0 };
	struct drawn drawn;
	size_t i;

	draw_file(draw, &drawn);
	for (i = 0; i < 4; i++)
		draw_held(draw, &drawn);
	drawn_text(draw, &drawn, &text);
	if (!reads(&first, &text))
		return false;
	print_all(&printed, &first);
	list_policy(&list, &first);
	if (!reads(&second, &printed) || !reads(&third, &list))
		return false;
	print_all(&again, &second);
	*statements += first.statement_count;
	return same_rules(&first, &second) &&
	       same_statements(&first, &second) &&
	       !strcmp(buf_str(&printed), buf_str(&again)) &&
	       first.agent_count == third.agent_count &&
	       first.rule_count == third.rule_count &&
	       first.statement_count == third.statement_count;
}

static void policies(void)
{
	struct draw draw = { SEED };
	size_t statements = 0;
	int broken = 0, i;

	for (i = 0; i < ROUNDS; i++)
		if (!round_trip(&draw, &statements) && !broken++)
			printf("# round %d\n", i);
	ok(!broken && statements > ROUNDS,
	   "prints policies, and lists them, so that they read the same");
}

/* The words of @text, which must be a form of its keyword. */
static bool split(struct words *words, const struct buf *text, void **memory)
{
	struct why why = { 0 };
	enum policy_keyword keyword;

	if (words_open(words, "drawn", buf_span(text), memory, &why) ||
	    words_next(words, &why) != 1) {
		printf("# %s\n", why.text);
		return false;
	}
	keyword = shape_keyword(words->word[0]);
	if (keyword != POLICY_KEYWORDS && !shape_check(keyword, words, &why))
		return true;
	printf("# %s\n", why.text);
	return false;
}

static bool same_words(struct draw *draw, size_t number, unsigned int *seen)
{
	static struct words before, after;
	autobuf struct buf text = { 0 }, printed = { 0 };
	struct policy_statement statement;
	void *memory = NULL;
	bool same;
	size_t i;

	draw_statement(draw, &text, number);
	buf_addc(&text, '\n');
	if (!split(&before, &text, &memory))
		return false;
	statement.keyword = shape_keyword(before.word[0]);
	statement.words = before.word + 1;
	statement.count = before.count - 1;
	*seen |= 1U << statement.keyword;
	print_statement(&printed, &statement);
	buf_addc(&printed, '\n');
	same = split(&after, &printed, &memory) && before.count == after.count;
	for (i = 0; same && i < before.count; i++)
		same = !strcmp(before.word[i], after.word[i]);
	pool_drop(&memory);
	return same;
}

static void statements(void)
{
	struct draw draw = { SEED };
	unsigned int seen = 0;
	bool same = true;
	size_t i;

	for (i = 0; i < ROUNDS; i++)
		same = same_words(&draw, i % STATEMENTS, &seen) && same;
	ok(same, "prints every statement, whatever its words are");
	ok(seen == (1U << POLICY_KEYWORDS) - 1, "knows every statement");
}

int main(void)
{
	printf("# seed %#llx, %d policies\n", (unsigned long long)SEED, ROUNDS);
	policies();
	statements();
	return tap_end();
}
