/* SPDX-License-Identifier: ISC */
/*
 * The reader of policies, and the decision.
 *
 * The input is parts with a byte 0xff between, which no text of UTF-8 has:
 * the policy, a ceiling, a table of questions as `--cases` has it, and what
 * `include ./1`, `include ./2` and so on find.
 */

#include "policy/policy.h"

#include <errno.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/why.h"
#include "call/reply.h"
#include "fuzz.h"
#include "policy/asked.h"
#include "policy/decide.h"
#include "policy/explain.h"
#include "policy/pool.h"
#include "policy/rule.h"
#include "policy/words.h"

#define PARTS 9
#define FIRST_INCLUDED 3

struct input {
	struct span part[PARTS];
};

static int fetch(void *context, const char *name, const char *from,
		 struct buf *file, struct buf *bytes, struct why *why)
{
	const struct input *input = context;
	unsigned int number;

	(void)from;
	if (strncmp(name, "./", 2) != 0 || name[2] < '1' || name[2] > '6' ||
	    name[3])
		return why_set(why, ENOENT, "no such file");
	number = (unsigned int)(name[2] - '1') + FIRST_INCLUDED;
	buf_adds(file, name);
	buf_add(bytes, input->part[number]);
	return 0;
}

/* Reads the whole policy; returns whether it is one. */
static bool read_all(struct policy *policy, struct input *input, bool ceiling)
{
	const struct policy_includer includer = { fetch, input };
	struct why why = { 0 };
	int r;

	r = policy_add(policy, "policy", input->part[0], POLICY_PROJECT,
		       &includer, &why);
	if (!r && ceiling)
		r = policy_add(policy, "ceiling", input->part[1],
			       POLICY_CEILING, &includer, &why);
	bug_if(r != 0 && r != -EINVAL);
	bug_if(r < 0 && !*why.text);
	return !r;
}

/* Puts the lines of @text behind @turned, the last one first. */
static void turn(struct buf *turned, struct span text)
{
	size_t end = text.len;
	size_t start;

	while (end) {
		for (start = end - 1; start; start--)
			if (text.data[start - 1] == '\n')
				break;
		buf_add(turned,
			(struct span){ text.data + start, end - start });
		end = start;
	}
}

static void same_answer(const struct policy *a, const struct policy *b,
			const struct question *question)
{
	struct answer one = decide(a, question);
	struct answer two = decide(b, question);

	bug_if(one.decision != two.decision || one.by != two.by);
}

/* What one line of the table asks. */
static void ask(const struct policy *policy, const struct policy *bare,
		const struct policy *turned, const struct words *words)
{
	struct question question = { .asker = NULL };
	struct asker asker = { .chain_count = 0 };
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	struct answer answer;

	if (!asked_read(&question, &asker, words->word, words->count, &why)) {
		answer = decide(policy, &question);
		bug_if(answer.decision < decide(bare, &question).decision);
		bug_if(answer.by == ANSWER_BY_RULE && !answer.rule);
		same_answer(policy, turned, &question);
		bug_if(reply_question(&text, policy, &question, true) !=
		       answer.decision);
		asker.chain[asker.chain_count++] = span_of("other");
		bug_if(decide(policy, &question).decision < answer.decision);
	}
	decide_release(&question);
}

static void ask_all(const struct policy *policy, const struct policy *bare,
		    const struct policy *turned, struct span table)
{
	void *memory = NULL;
	struct words words;
	struct why why = { 0 };

	if (!words_open(&words, "table", table, &memory, &why))
		while (words_next(&words, &why) > 0)
			ask(policy, bare, turned, &words);
	pool_drop(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest = { (const char *)data, size };
	autopolicy struct policy policy = { 0 }, bare = { 0 }, turned = { 0 };
	autobuf struct buf backwards = { 0 };
	struct input input;
	struct span table;
	size_t i;

	for (i = 0; i < PARTS; i++)
		input.part[i] = fuzz_part(&rest, '\xff');
	if (!read_all(&policy, &input, true))
		return 0;
	bug_if(!read_all(&bare, &input, false));
	table = input.part[2];
	turn(&backwards, input.part[0]);
	input.part[0] = buf_span(&backwards);
	bug_if(!read_all(&turned, &input, true));
	ask_all(&policy, &bare, &turned, table);
	return 0;
}
