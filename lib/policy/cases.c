/* SPDX-License-Identifier: ISC */
#include "policy/cases.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/asked.h"
#include "policy/pool.h"
#include "policy/reply.h"
#include "policy/words.h"

#define ARROW "->"

/* Where the arrow stands; the count of words if there is none. */
static size_t find_arrow(const struct words *words)
{
	size_t i;

	for (i = 0; i < words->count && strcmp(words->word[i], ARROW); i++)
		continue;
	return i;
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
	return 0;
}

static bool is_right(const struct answer *answer, const char *said,
		     const char *decision, const char *rule)
{
	if (strcmp(decision_word(answer->decision), decision) != 0)
		return false;
	if (!rule)
		return true;
	if (!strcmp(rule, "default"))
		return answer->rule && answer->rule->layer == POLICY_DEFAULTS;
	return !strcmp(rule, said);
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
	}
	if (!r && !is_right(&answer, buf_str(&said), words->word[arrow + 1],
			    words->word[arrow + 2])) {
		buf_addf(&cases->lines, "%s:%u: %s: the answer is %s %s\n",
			 words->file, words->line, words->word[0],
			 decision_word(answer.decision), buf_str(&said));
		cases->wrong++;
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
