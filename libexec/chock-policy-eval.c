/* SPDX-License-Identifier: ISC */
/*
 * chock-policy-eval - the decision: what policies answer to a question
 *
 * With an action it answers one question and exits with the answer.  Without
 * one it is a filter: records with questions or tool calls go in, the same
 * records with decisions come out.
 * See chock-policy-eval(1), chock-policy(5), chock-protocol(7).
 */

#include "chock-policy-eval.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "call/cases.h"
#include "call/reply.h"
#include "digest/sha256.h"
#include "policy/asked.h"
#include "policy/list.h"
#include "policyfile/trust.h"
#include "record/json.h"
#include "sandbox/self.h"

static struct eval_options said = { .control_fd = -1,
				    .frozen_fd = -1,
				    .refused_fd = -1 };

static const struct opt_table options = {
	"chock-policy-eval",
	"[OPTION]... ACTION [FIELD=VALUE]...\n"
	"[OPTION]... [--filter [--refused-fd N]] <RECORDS\n"
	"[OPTION]... --format FORMAT <MESSAGES\n"
	"[OPTION]... --check | --files | --freeze | --list | --cases FILE",
	"answer what policies permit",
	(const struct opt[]){
		{ 0, "policy", "POLICY",
		  "judge by POLICY, a shipped one's name or a path",
		  .list = &said.policies },
		{ 0, "find-policy", NULL,
		  "without --policy, judge by the person's own, or else by "
		  "base",
		  .flag = &said.find_policy },
		{ 0, "ceiling", "POLICY", "permit no more than POLICY does",
		  .list = &said.ceilings },
		{ 0, "rule", "RULE", "judge by RULE before all policies",
		  .list = &said.rules },
		{ 0, "project", "DIR",
		  "the project: DIR/chock.policy narrows, or more if it is "
		  "trusted; programs below DIR are its own",
		  .str = &said.project },
		{ 0, "explain", NULL, "say how the answer came about",
		  .flag = &said.explain },
		{ 0, "files", NULL, "list the policy files that were read",
		  .flag = &said.files },
		{ 0, "freeze", NULL,
		  "print all policies that were read, for --frozen-fd",
		  .flag = &said.freeze },
		{ 0, "frozen-fd", "FD",
		  "judge by what --freeze printed, and read no other file",
		  .fd = &said.frozen_fd },
		{ 0, "check", NULL,
		  "only read the policies, and find what they can hardly mean",
		  .flag = &said.check },
		{ 0, "list", NULL,
		  "list all that the policies say, in the order in which it "
		  "counts",
		  .flag = &said.list },
		{ 0, "suffixes", "FILE",
		  "with --check, take the list of public suffixes from FILE",
		  .str = &said.suffixes },
		{ 0, "cases", "FILE", "ask the questions of a table in FILE",
		  .str = &said.cases },
		{ 0, "filter", NULL,
		  "pass on records that are allowed, and no others",
		  .flag = &said.filter },
		{ 0, "refused-fd", "N",
		  "what is not passed on goes to descriptor N",
		  .fd = &said.refused_fd },
		{ 0, "state", "LOG",
		  "begin with the restrictions that are in force in LOG",
		  .list = &said.states },
		{ 0, "control-fd", "N",
		  "read from descriptor N what only the broker may say",
		  .fd = &said.control_fd },
		{ 0, "format", "FORMAT",
		  "messages of a harness: claude-hook, openai, anthropic or "
		  "mcp",
		  .str = &said.format },
		{ 0, "server", "NAME",
		  "with --format mcp: what policies call the server",
		  .str = &said.server },
		{ 0, "timeout", "TIME",
		  "with --format claude-hook: block after TIME, not 10s",
		  .seconds = &said.timeout, .min = 1, .max = HOOK_SECONDS_MAX },
		{ .name = NULL },
	},
};

/* Whether @file is the project's own policy. */
static bool is_projects(const struct judge *judge,
			const struct policyfile *file)
{
	size_t len = judge->real_project ? strlen(judge->real_project) : 0;

	return len && !strncmp(file->name, judge->real_project, len) &&
	       !strcmp(file->name + len, "/" TRUST_POLICY);
}

static int print_files(const struct judge *judge)
{
	autobuf struct buf text = { 0 };
	char hex[SHA256_HEX + 1];
	size_t i;

	for (i = 0; i < judge->files.count; i++) {
		const struct policyfile *file = &judge->files.files[i];

		sha256_hex(hex, buf_span(&file->bytes));
		json_open(&text);
		json_str(&text, "file", span_of(file->name));
		json_str(&text, "layer", span_of(rule_layer_word(file->layer)));
		json_str(&text, "sha256", span_of(hex));
		if (is_projects(judge, file))
			json_str(
				&text, "trust",
				span_of(policyfiles_trust_word(&judge->files)));
		json_close(&text);
		buf_addc(&text, '\n');
	}
	print(&text);
	return EXIT_ALLOW;
}

static int print_list(const struct judge *judge)
{
	autobuf struct buf text = { 0 };

	list_policy(&text, &judge->policy);
	print(&text);
	return EXIT_ALLOW;
}

static int print_frozen(const struct judge *judge)
{
	autobuf struct buf text = { 0 };

	policyfiles_freeze(&text, &judge->files);
	if (text.len > POLICYFILES_FROZEN_MAX)
		die(EXIT_MISUSE, "the policies have more than %zu bytes",
		    POLICYFILES_FROZEN_MAX);
	print(&text);
	return EXIT_ALLOW;
}

/* ---- one question ------------------------------------------------------- */

static int exit_of(enum policy_decision decision)
{
	if (decision == DECISION_ALLOW)
		return EXIT_ALLOW;
	return decision == DECISION_DENY ? EXIT_DENY : EXIT_ASK;
}

static int answer_one(const struct judge *judge, char **words, int count)
{
	struct question question = { .asker = NULL };
	struct asker asker = { .chain_count = 0 };
	enum policy_decision decision;
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	if (asked_read(&question, &asker, (const char *const *)words,
		       (size_t)count, &why) < 0)
		die_why(&why);
	decision =
		reply_question(&text, &judge->policy, &question, said.explain);
	print(&text);
	decide_release(&question);
	return exit_of(decision);
}

static int answer_cases(const struct judge *judge)
{
	struct cases cases = { .asked = 0 };
	struct why why = { 0 };
	bool wrong;

	if (cases_run(&cases, &judge->policy, said.cases,
		      buf_span(&judge->table), &why) < 0)
		die_why(&why);
	if (!cases.asked)
		die(EXIT_MISUSE, "'%s' asks nothing", said.cases);
	buf_addf(&cases.lines, "%zu asked, %zu wrong\n", cases.asked,
		 cases.wrong);
	print(&cases.lines);
	wrong = cases.wrong > 0;
	cases_drop(&cases);
	return wrong ? EXIT_DENY : EXIT_ALLOW;
}

/* What was said is looked at once options are read, and before files are. */
static int read_options(int argc, char **argv)
{
	int first, ways;

	hook_guard(argc, argv);
	first = opt_parse(&options, argc, argv);
	ways = said.files + said.freeze + said.check + said.list +
	       !!said.cases + (first < argc);
	check_format(&said, ways + said.explain + said.filter);
	if (ways + said.filter > 1 || (said.suffixes && !said.check))
		opt_misuse(&options);
	filter_open(&said);
	return first;
}

int main(int argc, char **argv)
{
	int first = read_options(argc, argv);
	struct judge judge = { .projects = { NULL } };
	struct why why = { 0 };
	int status = EXIT_ALLOW;

	judge_open(&judge, &said);
	if (confine_self(&why) < 0)
		die_why(&why);
	state_fold(&judge);
	if (said.files)
		status = print_files(&judge);
	else if (said.list)
		status = print_list(&judge);
	else if (said.freeze)
		status = print_frozen(&judge);
	else if (said.cases)
		status = answer_cases(&judge);
	else if (first < argc)
		status = answer_one(&judge, argv + first, argc - first);
	else if (said.check)
		status = print_findings(&judge);
	else if (said.format)
		status = answer_format(&judge);
	else
		status = answer_records(&judge);
	judge_drop(&judge);
	free(said.policies.items);
	free(said.ceilings.items);
	free(said.rules.items);
	free(said.states.items);
	return status;
}
