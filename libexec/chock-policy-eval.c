/* SPDX-License-Identifier: ISC */
/*
 * chock-policy-eval - the decision: what policies answer to a question
 *
 * With an action it answers one question and exits with the answer.  Without
 * one it is a filter: records with questions or tool calls go in, the same
 * records with decisions come out.
 * See chock-policy-eval(1), chock-policy(5), chock-protocol(7).
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/line.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "digest/sha256.h"
#include "policy/asked.h"
#include "policy/call.h"
#include "policy/cases.h"
#include "policy/policy.h"
#include "policy/reply.h"
#include "policyfile/policyfile.h"
#include "record/json.h"
#include "record/record.h"
#include "record/refusal.h"
#include "sandbox/limits.h"
#include "sandbox/self.h"

static struct opt_list policies;
static struct opt_list ceilings;
static struct opt_list rules;
static const char *project;
static bool find_policy;
static bool with_why;
static bool list_files;
static bool check_only;
static const char *cases_path;

static const struct opt_table options = {
	"chock-policy-eval",
	"[OPTION]... ACTION [FIELD=VALUE]...\n"
	"[OPTION]... <RECORDS\n"
	"[OPTION]... --check | --files | --cases FILE",
	"answer what policies permit",
	(const struct opt[]){
		{ 0, "policy", "POLICY",
		  "judge by POLICY, a shipped one's name or a path",
		  .list = &policies },
		{ 0, "find-policy", NULL,
		  "without --policy, judge by the person's own, or else by "
		  "base",
		  .flag = &find_policy },
		{ 0, "ceiling", "POLICY", "permit no more than POLICY does",
		  .list = &ceilings },
		{ 0, "rule", "RULE", "judge by RULE before all policies",
		  .list = &rules },
		{ 0, "project", "DIR",
		  "the project: DIR/chock.policy is a ceiling, and programs "
		  "below DIR are its own",
		  .str = &project },
		{ 0, "explain", NULL, "say how the answer came about",
		  .flag = &with_why },
		{ 0, "files", NULL, "list the policy files that were read",
		  .flag = &list_files },
		{ 0, "check", NULL, "only read the policies",
		  .flag = &check_only },
		{ 0, "cases", "FILE", "ask the questions of a table in FILE",
		  .str = &cases_path },
		{ .name = NULL },
	},
};

/* What every answer is made from. */
struct judge {
	struct policyfiles files;
	struct policy policy;
	const char *projects[3]; /* the project's names, up to a NULL */
	char *real_project;      /* owned */
	struct buf table;        /* what cases_path has */
};

/* ---- policies ----------------------------------------------------------- */

static int add_list(struct judge *judge, const struct opt_list *list,
		    enum policy_layer layer, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; !r && i < list->count; i++)
		r = policyfiles_add(&judge->files, &judge->policy,
				    list->items[i], layer, why);
	return r;
}

static int add_unnamed(struct judge *judge, struct why *why)
{
	int r = find_policy
			? policyfiles_find(&judge->files, &judge->policy, why)
			: policyfiles_add_operator(&judge->files,
						   &judge->policy, why);

	return r < 0 ? r : 0;
}

/* A project may be reached by two names: as it was said, and the real one. */
static int find_project(struct judge *judge, struct why *why)
{
	size_t count = 0;

	if (!project)
		return 0;
	judge->real_project = realpath(project, NULL);
	if (!judge->real_project)
		return why_sys(why, errno, "cannot find the project '%s'",
			       project);
	judge->projects[count++] = judge->real_project;
	if (*project == '/')
		judge->projects[count] = project;
	return 0;
}

/* Which limits can be had is not for lib/policy to know. */
static int check_limits(const struct policy *policy, struct why *why)
{
	const struct policy_statement *at = policy->statements;
	const struct policy_statement *end = at + policy->statement_count;
	struct limits limits;
	struct why reason = { 0 };

	limits_init(&limits);
	for (; at < end; at++)
		if (at->keyword == POLICY_LIMIT &&
		    limits_read(&limits, span_of(at->words[0]),
				span_of(at->words[1]), &reason) < 0)
			return why_set(why, EINVAL, "%s:%u:%u: %s",
				       at->origin.file, at->origin.line,
				       at->origin.column, reason.text);
	return 0;
}

static void say_warnings(const struct policy *policy)
{
	size_t i = 0;

	while (i < policy->warning_count) {
		const struct policy_warning *first = &policy->warnings[i];
		size_t next = i + 1;

		while (next < policy->warning_count &&
		       policy->warnings[next].origin.file == first->origin.file)
			next++;
		if (next - i > 1)
			warn("%s:%u:%u: '%s' and %zu more are reserved: "
			     "nothing in this version asks for them by itself",
			     first->origin.file, first->origin.line,
			     first->origin.column, first->text, next - i - 1);
		else
			warn("%s:%u:%u: '%s' is reserved: nothing in this "
			     "version asks for it by itself",
			     first->origin.file, first->origin.line,
			     first->origin.column, first->text);
		i = next;
	}
}

static void open_judge(struct judge *judge)
{
	struct why why = { 0 };
	int r = policyfiles_add_rules(&judge->policy, rules.items, rules.count,
				      &why);

	if (!r)
		r = find_project(judge, &why);
	if (!r)
		r = add_list(judge, &policies, POLICY_PROJECT, &why);
	if (!r)
		r = add_list(judge, &ceilings, POLICY_CEILING, &why);
	if (!r && !policies.count)
		r = add_unnamed(judge, &why);
	if (!r)
		r = policyfiles_add_found(&judge->files, &judge->policy,
					  judge->real_project, &why);
	if (!r)
		r = check_limits(&judge->policy, &why);
	if (!r && cases_path)
		r = file_read_path(&judge->table, AT_FDCWD, cases_path,
				   POLICY_BYTES_MAX, &why);
	if (r < 0)
		die_why(&why);
	say_warnings(&judge->policy);
}

static void drop_judge(struct judge *judge)
{
	policy_drop(&judge->policy);
	policyfiles_drop(&judge->files);
	free(judge->real_project);
	buf_drop(&judge->table);
	free(policies.items);
	free(ceilings.items);
	free(rules.items);
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
		json_close(&text);
		buf_addc(&text, '\n');
	}
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
	struct question question = { .chain_count = 0 };
	enum policy_decision decision;
	autobuf struct buf text = { 0 };
	struct why why = { 0 };

	if (asked_read(&question, (const char *const *)words, (size_t)count,
		       &why) < 0)
		die_why(&why);
	decision = reply_question(&text, &judge->policy, &question, with_why);
	print(&text);
	decide_release(&question);
	return exit_of(decision);
}

static int answer_cases(const struct judge *judge)
{
	struct cases cases = { .asked = 0 };
	struct why why = { 0 };
	bool wrong;

	if (cases_run(&cases, &judge->policy, cases_path,
		      buf_span(&judge->table), &why) < 0)
		die_why(&why);
	if (!cases.asked)
		die(EXIT_MISUSE, "'%s' asks nothing", cases_path);
	buf_addf(&cases.lines, "%zu asked, %zu wrong\n", cases.asked,
		 cases.wrong);
	print(&cases.lines);
	wrong = cases.wrong > 0;
	cases_drop(&cases);
	return wrong ? EXIT_DENY : EXIT_ALLOW;
}

/* ---- records ------------------------------------------------------------ */

/* Returns whether the line was a record that could be judged. */
static bool answer_line(const struct judge *judge, struct buf *out,
			struct span line, uint64_t number)
{
	autorecord struct record record = { 0 };
	autobuf struct buf fields = { 0 };
	autocall struct call call = { .count = 0 };
	struct why why = { 0 };
	bool good;

	good = record_read(&record, line, &why) == 0;
	/* An error of a program before us is for those behind us as well. */
	if (good && record_has(&record, "error") &&
	    !record_has(&record, "tool") && !record_has(&record, "action")) {
		buf_add(out, line);
		return true;
	}
	good = good && call_read(&call, &record, judge->projects, &why) == 0;
	if (good) {
		reply_call(&fields, &judge->policy, &call, with_why);
		json_splice(out, line, buf_span(&fields));
	} else {
		refusal_put(out, &record, number, &why);
	}
	return good;
}

static int answer_all(const struct judge *judge)
{
	autolines struct lines lines = { .fd = STDIN_FILENO };
	autobuf struct buf out = { 0 };
	const struct record none = { .root = NULL };
	struct why why = { 0 };
	struct span line;
	bool good = true;
	int r;

	while ((r = lines_next(&lines, &line, &why)) != 0) {
		if (r < 0 && r != -EFBIG && r != -EBADMSG)
			die_why(&why);
		if (r < 0)
			refusal_put(&out, &none, lines.number, &why);
		good = r > 0 && answer_line(judge, &out, line, lines.number) &&
		       good;
		buf_addc(&out, '\n');
		print(&out);
		buf_reset(&out);
		if (r == -EBADMSG)
			break;
	}
	return good ? EXIT_ALLOW : EXIT_MISUSE;
}

int main(int argc, char **argv)
{
	int first = opt_parse(&options, argc, argv);
	struct judge judge = { .projects = { NULL } };
	struct why why = { 0 };
	int ways = list_files + check_only + !!cases_path + (first < argc);
	int status = EXIT_ALLOW;

	if (ways > 1)
		opt_misuse(&options);
	open_judge(&judge);
	if (confine_self(&why) < 0)
		die_why(&why);
	if (list_files)
		status = print_files(&judge);
	else if (cases_path)
		status = answer_cases(&judge);
	else if (first < argc)
		status = answer_one(&judge, argv + first, argc - first);
	else if (!check_only)
		status = answer_all(&judge);
	drop_judge(&judge);
	return status;
}
