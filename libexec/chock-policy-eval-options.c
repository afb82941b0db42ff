/* SPDX-License-Identifier: ISC */
/* The options of chock-policy-eval, and which of them go together. */
#include <stdlib.h>
#include <string.h>

#include "base/exitcode.h"
#include "base/nearest.h"
#include "base/report.h"
#include "base/span.h"
#include "chock-policy-eval.h"

#define FORMAT_WORDS "claude-hook, openai, anthropic or mcp"

static struct eval_options said = { .control_fd = -1,
				    .frozen_fd = -1,
				    .refused_fd = -1 };

static const struct opt_table table = {
	"chock-policy-eval",
	"[OPTION]... ACTION [FIELD=VALUE]...\n"
	"[OPTION]... [--filter [--refused-fd N]] <RECORDS\n"
	"[OPTION]... --format FORMAT <MESSAGES\n"
	"[OPTION]... --check | --files | --freeze | --list | --cases FILE",
	"answer what policies permit",
	(const struct opt[]){
		{ 0, "policy", "POLICY",
		  "judge by POLICY, a shipped one's name or a path",
		  .list = &said.policies, .group = "which policies" },
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
		{ 0, "frozen-fd", "FD",
		  "judge by what --freeze printed, and read no other file",
		  .fd = &said.frozen_fd },
		{ 0, "state", "LOG",
		  "begin with the restrictions that are in force in LOG",
		  .list = &said.states },
		{ 0, "check", NULL,
		  "only read the policies, and find what they can hardly mean",
		  .flag = &said.check, .group = "about the policies" },
		{ 0, "suffixes", "FILE",
		  "with --check, take the list of public suffixes from FILE",
		  .str = &said.suffixes },
		{ 0, "cases", "FILE", "ask the questions of a table in FILE",
		  .str = &said.cases },
		{ 0, "files", NULL, "list the policy files that were read",
		  .flag = &said.files },
		{ 0, "list", NULL,
		  "list all that the policies say, in the order in which it "
		  "counts",
		  .flag = &said.list },
		{ 0, "freeze", NULL,
		  "print all policies that were read, for --frozen-fd",
		  .flag = &said.freeze },
		{ 0, "explain", NULL, "say how the answer came about",
		  .flag = &said.explain, .group = "questions and records" },
		{ 0, "filter", NULL,
		  "pass on records that are allowed, and no others",
		  .flag = &said.filter },
		{ 0, "refused-fd", "N",
		  "what is not passed on goes to descriptor N",
		  .fd = &said.refused_fd },
		{ 0, "control-fd", "N",
		  "read from descriptor N what only the broker may say",
		  .fd = &said.control_fd },
		{ 0, "format", "FORMAT", "messages of a harness: " FORMAT_WORDS,
		  .str = &said.format, .group = "messages of a harness" },
		{ 0, "server", "NAME",
		  "with --format mcp: what policies call the server",
		  .str = &said.server },
		{ 0, "timeout", "TIME",
		  "with --format claude-hook: block after TIME, not 10s",
		  .seconds = &said.timeout, .min = 1, .max = HOOK_SECONDS_MAX },
		{ .name = NULL },
	},
};

static const char *const formats[] = { "claude-hook", "openai", "anthropic",
				       "mcp" };

#define FORMATS (sizeof(formats) / sizeof(*formats))
_Static_assert(WAY_HOOK + FORMATS == WAYS, "a way for each of the formats");

static const char *const way_words[WAYS] = {
	[WAY_RECORDS] = "records",
	[WAY_ACTION] = "an action",
	[WAY_CASES] = "--cases",
	[WAY_CHECK] = "--check",
	[WAY_FILES] = "--files",
	[WAY_FREEZE] = "--freeze",
	[WAY_LIST] = "--list",
	[WAY_HOOK] = "--format claude-hook",
	[WAY_OPENAI] = "--format openai",
	[WAY_ANTHROPIC] = "--format anthropic",
	[WAY_MCP] = "--format mcp",
};

static enum way find_format(void)
{
	char near[NEAREST_ROOM];
	unsigned int i;

	for (i = 0; i < FORMATS; i++)
		if (!strcmp(said.format, formats[i]))
			return (enum way)(WAY_HOOK + i);
	die(EXIT_MISUSE, "--format: '%s' is none of " FORMAT_WORDS "%s",
	    said.format,
	    nearest_clause(near, span_of(said.format), formats, FORMATS));
}

static enum way find_way(void)
{
	const struct {
		bool said;
		enum way way;
	} rows[] = {
		{ said.cases, WAY_CASES },
		{ said.check, WAY_CHECK },
		{ said.files, WAY_FILES },
		{ said.freeze, WAY_FREEZE },
		{ said.list, WAY_LIST },
		{ said.format, said.format ? find_format() : WAY_RECORDS },
		{ said.word_count, WAY_ACTION },
	};
	enum way way = WAY_RECORDS;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].said)
			continue;
		if (way != WAY_RECORDS)
			die(EXIT_MISUSE, "%s does not go with %s",
			    way_words[way], way_words[rows[i].way]);
		way = rows[i].way;
	}
	return way;
}

#define BIT(way) (1U << WAY_##way)
#define LINES (BIT(OPENAI) | BIT(ANTHROPIC) | BIT(MCP))
#define ASKS (BIT(RECORDS) | BIT(ACTION) | BIT(CASES) | BIT(HOOK) | LINES)

/* Each option that is not for all ways. */
static void check_way(enum way way)
{
	const struct {
		const char *option;
		bool said;
		unsigned int ways;
	} rows[] = {
		{ "--state", said.states.count, ASKS },
		{ "--suffixes", said.suffixes, BIT(CHECK) },
		{ "--explain", said.explain, BIT(ACTION) | BIT(RECORDS) },
		{ "--filter", said.filter, BIT(RECORDS) },
		{ "--refused-fd", said.refused_fd >= 0, BIT(RECORDS) | LINES },
		{ "--control-fd", said.control_fd >= 0, BIT(RECORDS) },
		{ "--server", said.server, BIT(MCP) },
		{ "--timeout", said.timeout, BIT(HOOK) },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].said && !(rows[i].ways & 1U << way))
			die(EXIT_MISUSE, "%s does not go with %s",
			    rows[i].option, way_words[way]);
}

/* What one option wants of another, whatever the way is. */
static void check_pairs(void)
{
	const char *frozen = said.find_policy      ? "--find-policy"
			     : said.policies.count ? "--policy"
			     : said.ceilings.count ? "--ceiling"
						   : NULL;

	if (said.frozen_fd >= 0 && frozen)
		die(EXIT_MISUSE,
		    "--frozen-fd is all policies: %s does not go with it",
		    frozen);
	if (said.way == WAY_RECORDS && said.refused_fd >= 0 && !said.filter)
		die(EXIT_MISUSE, "--refused-fd does not go with records "
				 "without --filter");
	if (said.way == WAY_MCP && !said.server)
		die(EXIT_MISUSE, "--format mcp needs --server");
	if (said.way == WAY_MCP && said.refused_fd < 0)
		die(EXIT_MISUSE, "--format mcp needs --refused-fd");
	if (said.server && (!*said.server || strchr(said.server, '.')))
		die(EXIT_MISUSE, "--server: '%s' is empty or has a dot in it",
		    said.server);
}

void options_read(struct eval_options *options, int argc, char **argv)
{
	int first = opt_parse(&table, argc, argv);

	said.words = (const char *const *)argv + first;
	said.word_count = (size_t)(argc - first);
	said.way = find_way();
	check_way(said.way);
	check_pairs();
	*options = said;
}

void options_drop(struct eval_options *options)
{
	free(options->policies.items);
	free(options->ceilings.items);
	free(options->rules.items);
	free(options->states.items);
}
