/* SPDX-License-Identifier: ISC */
/* chock-policy-eval ACTION and --cases: questions that a person put. */
#include <fcntl.h>

#include "base/exitcode.h"
#include "base/file.h"
#include "base/report.h"
#include "base/why.h"
#include "call/cases.h"
#include "call/reply.h"
#include "chock-policy-eval.h"
#include "policy/action.h"
#include "policy/asked.h"

static int exit_of(enum policy_decision decision)
{
	if (decision == DECISION_ALLOW)
		return EXIT_ALLOW;
	return decision == DECISION_DENY ? EXIT_DENY : EXIT_ASK;
}

/* A name that nothing knows is answered all the same; but who typed it may
 * have meant another one.  --explain says it itself. */
static void hint_at(struct span action)
{
	autobuf struct buf near = { 0 };

	if (action_space(action))
		return;
	action_nearest(&near, action, false);
	if (near.len)
		warn("no part of chock knows '%.*s'; did you mean '%s'?",
		     (int)action.len, action.data, buf_str(&near));
}

int answer_action(struct judge *judge)
{
	const struct eval_options *options = judge->options;
	struct question question = { .asker = NULL };
	struct asker asker = { .chain_count = 0 };
	enum policy_decision decision;
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	if (asked_read(&question, &asker, options->words, options->word_count,
		       &why) < 0)
		die_why(&why);
	decision = reply_question(&text, &judge->policy, &question,
				  options->explain);
	print(&text);
	if (!options->explain)
		hint_at(question.action);
	decide_release(&question);
	return exit_of(decision);
}

void cases_open(struct judge *judge)
{
	struct why why = { 0 };

	if (file_read_path(&judge->beside, AT_FDCWD, judge->options->cases,
			   POLICY_BYTES_MAX, &why) < 0)
		die_why(&why);
}

int answer_cases(struct judge *judge)
{
	const char *file = judge->options->cases;
	struct cases cases = { .asked = 0 };
	struct why why = { 0 };
	bool wrong;

	if (cases_run(&cases, &judge->policy, file, buf_span(&judge->beside),
		      &why) < 0)
		die_why(&why);
	if (!cases.asked)
		die(EXIT_MISUSE, "'%s' asks nothing", file);
	buf_addf(&cases.lines, "%zu asked, %zu wrong\n", cases.asked,
		 cases.wrong);
	print(&cases.lines);
	wrong = cases.wrong > 0;
	cases_drop(&cases);
	return wrong ? EXIT_DENY : EXIT_ALLOW;
}
