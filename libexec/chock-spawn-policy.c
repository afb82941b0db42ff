/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that reads policies
 *
 * Every statement that says what a sandbox holds is either built, or left to
 * the program that it is for, or refused with its place: none is passed over.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-spawn.h"
#include "policy/decide.h"

typedef void hold_statement(struct spawn *spawn,
			    const struct policy_statement *statement,
			    const char *by);

/* "FILE:LINE:COLUMN", for a message or a grant. */
static const char *place_of(const struct policy_statement *statement)
{
	const struct policy_origin *at = &statement->origin;

	return alloc_text("%s:%u:%u", at->file, at->line, at->column);
}

static const char *path_of(const struct spawn *spawn, const char *word,
			   const char *by)
{
	autobuf struct buf path = { 0 };
	const char *home = getenv("HOME");
	struct why why = { 0 };

	if (home && *home != '/')
		home = NULL;
	if (policy_path(&path, word, home, spawn->project, &why) < 0)
		die(EXIT_MISUSE, "%s: %s", by, why.text);
	return alloc_copy(path.data, path.len);
}

static bool says(const struct policy_statement *statement, const char *word)
{
	size_t i;

	for (i = 1; i < statement->count; i++)
		if (!strcmp(statement->words[i], word))
			return true;
	return false;
}

/* A grant for the calls of one tool or agent is no grant for this command. */
static void hold_grant(struct spawn *spawn,
		       const struct policy_statement *statement, const char *by)
{
	struct grant *grant;

	if (says(statement, "tool") || says(statement, "agent"))
		return;
	grant = spawn_grant(spawn,
			    statement->keyword == POLICY_WRITE ? GRANT_WRITE
							       : GRANT_READ,
			    path_of(spawn, statement->words[0], by), by);
	grant->noexec = says(statement, "noexec");
	grant->optional = says(statement, "optional");
}

static void hold_tmpfs(struct spawn *spawn,
		       const struct policy_statement *statement, const char *by)
{
	const char *path = path_of(spawn, statement->words[0], by);

	spawn_grant(spawn, GRANT_TMPFS, path, by)->target = path;
}

static void hold_hide(struct spawn *spawn,
		      const struct policy_statement *statement, const char *by)
{
	const char *word = statement->words[0];

	if (*word == '~' || *word == '@')
		word = path_of(spawn, word, by);
	spawn_hide(spawn, word, by);
}

static void hold_env(struct spawn *spawn,
		     const struct policy_statement *statement, const char *by)
{
	spawn_env(spawn, statement->words[0], by);
}

static void hold_net(struct spawn *spawn,
		     const struct policy_statement *statement, const char *by)
{
	const char *word = statement->words[0];

	if (!strcmp(word, "filtered"))
		die(EXIT_MISUSE,
		    "%s: this build cannot hold 'net filtered', only none and "
		    "host",
		    by);
	spawn->sandbox.net = !strcmp(word, "host") ? NET_HOST : NET_NONE;
}

static void hold_limit(struct spawn *spawn,
		       const struct policy_statement *statement, const char *by)
{
	struct why why = { 0 };

	if (limits_read(&spawn->sandbox.limits, span_of(statement->words[0]),
			span_of(statement->words[1]), &why) < 0)
		die(EXIT_MISUSE, "%s: %s", by, why.text);
}

static void hold_driver(struct spawn *spawn,
			const struct policy_statement *statement,
			const char *by)
{
	if (!strcmp(statement->words[0], "landlock"))
		die(EXIT_MISUSE, "%s: this build has no driver 'landlock'", by);
	if (!spawn->options.driver)
		spawn->options.driver = statement->words[0];
}

static void refuse(struct spawn *spawn,
		   const struct policy_statement *statement, const char *by)
{
	(void)spawn;
	die(EXIT_MISUSE, "%s: this build cannot hold '%s'", by,
	    policy_keyword_word(statement->keyword));
}

/*
 * Whose business it is.  What is for the broker, for chock-ask or for chock
 * run holds no sandbox, and those programs read it themselves.
 */
static void leave(struct spawn *spawn, const struct policy_statement *statement,
		  const char *by)
{
	(void)spawn;
	(void)statement;
	(void)by;
}

static hold_statement *const holders[POLICY_KEYWORDS] = {
	[POLICY_READ] = hold_grant,  [POLICY_WRITE] = hold_grant,
	[POLICY_HIDE] = hold_hide,   [POLICY_TMPFS] = hold_tmpfs,
	[POLICY_BIND] = refuse,      [POLICY_DEVICE] = refuse,
	[POLICY_ENV] = hold_env,     [POLICY_NET] = hold_net,
	[POLICY_PUBLISH] = refuse,   [POLICY_NAT64] = refuse,
	[POLICY_SECRET] = refuse,    [POLICY_CREDENTIAL] = refuse,
	[POLICY_AUTH] = refuse,      [POLICY_LIMIT] = hold_limit,
	[POLICY_SYSCALLS] = refuse,  [POLICY_SUBAGENTS] = leave,
	[POLICY_BUDGET] = leave,     [POLICY_APPLY] = leave,
	[POLICY_REVIEWER] = leave,   [POLICY_SINK] = leave,
	[POLICY_EXPIRES] = refuse,   [POLICY_DRIVER] = hold_driver,
	[POLICY_CA_BUNDLE] = refuse, [POLICY_MCP] = leave,
};

/* The narrower of what was asked for and what a ceiling allows. */
static void narrow_limit(struct spawn *spawn,
			 const struct policy_statement *statement,
			 const char *by)
{
	struct limits asked = spawn->sandbox.limits;
	struct limits *held = &spawn->sandbox.limits;
	unsigned int i;

	hold_limit(spawn, statement, by);
	for (i = 0; i < LIMIT_COUNT; i++)
		if (asked.value[i] < held->value[i])
			held->value[i] = asked.value[i];
}

static void narrow_net(struct spawn *spawn,
		       const struct policy_statement *statement, const char *by)
{
	if (spawn->sandbox.net == NET_NONE ||
	    !strcmp(statement->words[0], "host"))
		return;
	warn("%s: the ceiling says 'net %s', so 'net host' does not hold", by,
	     statement->words[0]);
	spawn->sandbox.net = NET_NONE;
}

static void narrow(struct spawn *spawn,
		   const struct policy_statement *statement, const char *by)
{
	switch ((int)statement->keyword) {
	case POLICY_HIDE:
		hold_hide(spawn, statement, by);
		break;
	case POLICY_LIMIT:
		narrow_limit(spawn, statement, by);
		break;
	case POLICY_NET:
		narrow_net(spawn, statement, by);
		break;
	case POLICY_DRIVER:
		hold_driver(spawn, statement, by);
		break;
	case POLICY_SYSCALLS:
	case POLICY_EXPIRES:
		refuse(spawn, statement, by);
		break;
	default:
		leave(spawn, statement, by);
	}
}

static void read_policies(struct spawn *spawn)
{
	const struct spawn_options *options = &spawn->options;
	struct why why = { 0 };
	size_t i;

	for (i = 0; i < options->policies.count; i++)
		if (policyfiles_add(&spawn->files, &spawn->policy,
				    options->policies.items[i], POLICY_PROJECT,
				    &why) < 0)
			die(EXIT_MISUSE, "%s", why.text);
	for (i = 0; i < options->rules.count; i++) {
		const char *line = alloc_text("%s\n", options->rules.items[i]);

		if (policy_add(&spawn->policy, "--rule", span_of(line),
			       POLICY_COMMAND, NULL, &why) < 0)
			die(EXIT_MISUSE, "%s", why.text);
	}
	if (policyfiles_add_found(&spawn->files, &spawn->policy,
				  options->project, true, &why) < 0)
		die(EXIT_MISUSE, "%s", why.text);
}

/* Nobody can be asked here, so that every answer but allow is a no. */
static void decide_jit(struct spawn *spawn)
{
	struct question question = { .action = span_of("sandbox.jit"),
				     .chain = { span_of("main") },
				     .chain_count = 1 };

	spawn->sandbox.jit = decide(&spawn->policy, &question).decision ==
			     DECISION_ALLOW;
}

void spawn_policy(struct spawn *spawn)
{
	const struct policy_statement *statement;
	size_t i;

	read_policies(spawn);
	decide_jit(spawn);
	for (i = 0; i < spawn->policy.statement_count; i++) {
		statement = &spawn->policy.statements[i];
		if (statement->layer != POLICY_CEILING)
			holders[statement->keyword](spawn, statement,
						    place_of(statement));
	}
}

void spawn_ceilings(struct spawn *spawn)
{
	const struct policy_statement *statement;
	size_t i;

	for (i = 0; i < spawn->policy.statement_count; i++) {
		statement = &spawn->policy.statements[i];
		if (statement->layer == POLICY_CEILING)
			narrow(spawn, statement, place_of(statement));
	}
}
