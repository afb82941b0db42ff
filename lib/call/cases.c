/* SPDX-License-Identifier: ISC */
#include "call/cases.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "call/reply.h"
#include "policy/asked.h"
#include "policy/pool.h"
#include "policy/words.h"

#define ARROW "->"
#define RULE_WORDS (sizeof(rule_words) / sizeof(*rule_words))

/* What can stand for a rule that is no FILE:LINE: a layer, or what is none. */
static const char *const rule_words[] = {
	"command", "project", "operator", "default", "ceiling",
	"unnamed", "chain",   "agent",    "nothing",
};

/* Where the arrow stands; the count of words if there is none. */
static size_t find_arrow(const struct words *words)
{
	size_t i;

	for (i = 0; i < words->count && strcmp(words->word[i], ARROW); i++)
		continue;
	return i;
}

static int check_rule(const struct words *words, size_t index, struct why *why)
{
	const char *word = words->word[index];
	size_t i;

	if (!word || strchr(word, ':'))
		return 0;
	for (i = 0; i < RULE_WORDS; i++)
		if (!strcmp(word, rule_words[i]))
			return 0;
	return words_unknown(words, index,
			     &(struct choice){ "rule (FILE:LINE) or layer",
					       rule_words, RULE_WORDS },
			     why);
}

static int check_line(const struct words *words, size_t arrow, struct why *why)
{
	if (arrow + 2 > words->count)
		return words_wrong(words, arrow, why,
				   "it is written: ACTION [FIELD=VALUE]... -> "
				   "DECISION [RULE]");
	if (arrow + 3 < words->count)
		return words_wrong(words, arrow + 3, why, "a word too many");
	if (decision_read(span_of(words->word[arrow + 1])) == DECISIONS)
		return words_unknown(words, arrow + 1,
				     &(struct choice){ "decision",
						       decision_words,
						       DECISIONS },
				     why);
	return check_rule(words, arrow + 2, why);
}

/* @said is how the answer names its rule; a layer stands for all of its own. */
static bool is_right(const struct answer *answer, const char *said,
		     const char *decision, const char *rule)
{
	if (strcmp(decision_word(answer->decision), decision) != 0)
		return false;
	if (!rule || !strcmp(rule, said))
		return true;
	return answer->rule &&
	       !strcmp(rule, rule_layer_word(answer->rule->layer));
}

/* The question as it stands in the table, the answer, and what was wanted. */
static void add_wrong(struct cases *cases, const struct words *words,
		      size_t arrow, const struct answer *answer)
{
	autobuf struct buf said = { 0 };
	struct buf *lines = &cases->lines;
	size_t i;

	reply_rule(&said, answer);
	buf_add_plain(lines, span_of(words->file));
	buf_addf(lines, ":%u:", words->line);
	for (i = 0; i < words->count; i++) {
		if (i == arrow)
			continue;
		buf_adds(lines, i == arrow + 1 ? ": wanted " : " ");
		buf_add_plain(lines, span_of(words->word[i]));
	}
	buf_addf(lines, ", the answer is %s ", decision_word(answer->decision));
	buf_add_plain(lines, buf_span(&said));
	buf_addc(lines, '\n');
	cases->wrong++;
}

static int ask(struct cases *cases, const struct policy *policy,
	       const struct words *words, struct why *why)
{
	size_t arrow = find_arrow(words);
	struct question question = { .asker = NULL };
	struct asker asker = { .chain_count = 0 };
	autobuf struct buf said = { 0 };
	struct why reason = { 0 };
	struct answer answer;
	int r = check_line(words, arrow, why);

	if (!r &&
	    asked_read(&question, &asker, words->word, arrow, &reason) < 0)
		r = words_wrong(words, 0, why, "%s", reason.text);
	if (!r) {
		answer = decide(policy, &question);
		reply_rule(&said, &answer);
		cases->asked++;
		if (!is_right(&answer, buf_str(&said), words->word[arrow + 1],
			      words->word[arrow + 2]))
			add_wrong(cases, words, arrow, &answer);
	}
	decide_release(&question);
	return r;
}

int cases_run(struct cases *cases, const struct policy *policy,
	      const char *file, struct span table, struct why *why)
{
	void *memory = NULL;
	struct words words;
	int r = words_open(&words, file, table, &memory, why);

	while (!r) {
		r = words_next(&words, why);
		if (r <= 0)
			break;
		r = ask(cases, policy, &words, why);
	}
	pool_drop(&memory);
	return r;
}

void cases_drop(struct cases *cases)
{
	buf_drop(&cases->lines);
	*cases = (struct cases){ .asked = 0 };
}
