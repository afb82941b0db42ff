/* SPDX-License-Identifier: ISC */
/*
 * chock-policy-eval - the decision: what policies answer to a question
 *
 * With an action it answers one question and exits with the answer.  Without
 * one it is a filter: records or messages with tool calls go in, and what
 * policies say of them comes out.
 * See chock-policy-eval(1), chock-policy(5), chock-protocol(7).
 */

#include "chock-policy-eval.h"

#include "base/report.h"
#include "base/why.h"
#include "confine/self.h"

/* What each way opens before the program confines itself, if anything, and
 * what it does from then on; returns the exit status. */
static const struct {
	void (*open)(struct judge *judge);
	int (*answer)(struct judge *judge);
} ways[WAYS] = {
	[WAY_RECORDS] = { records_open, answer_records },
	[WAY_ACTION] = { NULL, answer_action },
	[WAY_CASES] = { cases_open, answer_cases },
	[WAY_CHECK] = { check_open, print_findings },
	[WAY_FILES] = { NULL, print_files },
	[WAY_FREEZE] = { NULL, print_frozen },
	[WAY_LIST] = { NULL, print_list },
	[WAY_HOOK] = { NULL, answer_hook },
	[WAY_OPENAI] = { NULL, answer_openai },
	[WAY_ANTHROPIC] = { NULL, answer_anthropic },
	[WAY_MCP] = { NULL, answer_mcp },
};

int main(int argc, char **argv)
{
	struct eval_options options;
	struct judge judge;
	struct why why = { 0 };
	int status;

	hook_guard(argc, argv);
	options_read(&options, argc, argv);
	hook_limit(options.timeout);
	judge_open(&judge, &options);
	if (ways[options.way].open)
		ways[options.way].open(&judge);
	if (confine_self(&why) < 0)
		die_why(&why);
	state_fold(&judge);
	status = ways[options.way].answer(&judge);
	judge_drop(&judge);
	options_drop(&options);
	return status;
}
