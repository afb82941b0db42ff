/* SPDX-License-Identifier: ISC */
/*
 * chock-spawn - the part that reads policies
 *
 * Every statement that this program is to hold (policy/held.h) is built, or
 * refused with its place: none is passed over.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/day.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-spawn.h"
#include "policy/assignment.h"
#include "policy/bounds.h"
#include "policy/field.h"
#include "policy/held.h"
#include "policy/pool.h"

typedef void hold_statement(struct spawn *spawn,
			    const struct policy_statement *statement,
			    const char *by);

/* "FILE:LINE:COLUMN", for a message or a grant; lives as long as the policy. */
static const char *place_of(struct spawn *spawn,
			    const struct policy_statement *statement)
{
	const struct policy_origin *at = &statement->origin;
	autobuf struct buf place = { 0 };

	buf_addf(&place, "%s:%u:%u", at->file, at->line, at->column);
	return pool_keep(&spawn->policy.memory, buf_span(&place));
}

static const char *home(void)
{
	const char *path = getenv("HOME");

	return path && *path == '/' ? path : NULL;
}

static const char *path_of(struct spawn *spawn, const char *word,
			   const char *by)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };

	if (policy_path(&path, word, home(), spawn->project, &why) < 0)
		die(EXIT_MISUSE, "%s: %s", by, why.text);
	return pool_keep(&spawn->policy.memory, buf_span(&path));
}

/*
 * What stands behind @option of a grant, which may be a word like an option
 * itself; "" for an option that has nothing behind it, NULL without it.
 */
static const char *option_of(const struct policy_statement *statement,
			     const char *option)
{
	const char *const *words = statement->words;
	bool valued;
	size_t i;

	for (i = 1; i < statement->count; i += valued ? 2 : 1) {
		valued = !strcmp(words[i], "tool") ||
			 !strcmp(words[i], "agent");
		if (!strcmp(words[i], option))
			return valued ? words[i + 1] : "";
	}
	return NULL;
}

/* Whether the grant @statement, if it says @option, says @name by it. */
static bool is_for(const struct policy_statement *statement, const char *option,
		   struct span name)
{
	const char *word = option_of(statement, option);
	struct rule_field field = { .class = false };
	struct why why = { 0 };

	return !word || (!field_read(&field, word, &why) &&
			 rule_field_fits(field, name));
}

static void hold_grant(struct spawn *spawn,
		       const struct policy_statement *statement, const char *by)
{
	const struct asker *asker = &spawn->asker;
	struct grant *grant;

	grant = spawn_grant(spawn,
			    statement->keyword == POLICY_WRITE ? GRANT_WRITE
							       : GRANT_READ,
			    path_of(spawn, statement->words[0], by), by);
	grant->noexec = option_of(statement, "noexec") != NULL;
	grant->optional = option_of(statement, "optional") != NULL;
	grant->other = !is_for(statement, "tool", asker->tool) ||
		       !is_for(statement, "agent", asker->chain[0]);
	if (!grant->other && !strcmp(statement->words[0], "@project@"))
		spawn_check_project(spawn, by);
}

static void hold_tmpfs(struct spawn *spawn,
		       const struct policy_statement *statement, const char *by)
{
	const char *path = path_of(spawn, statement->words[0], by);
	struct grant *grant = spawn_grant(spawn, GRANT_TMPFS, path, by);

	grant->target = path;
	grant->optional = option_of(statement, "optional") != NULL;
}

static void hold_hide(struct spawn *spawn,
		      const struct policy_statement *statement, const char *by)
{
	const char *word = statement->words[0];

	if (*word == '~' || *word == '@')
		word = path_of(spawn, word, by);
	spawn_hide(spawn, word, by, !policy_is_shipped(&statement->origin));
}

static void hold_device(struct spawn *spawn,
			const struct policy_statement *statement,
			const char *by)
{
	spawn_device(spawn, statement->words[0], by);
}

static void hold_env(struct spawn *spawn,
		     const struct policy_statement *statement, const char *by)
{
	autobuf struct buf assignment = { 0 };
	struct why why = { 0 };

	if (assignment_expand(&assignment, statement->words[0], home(),
			      spawn->project, &why) < 0)
		die(EXIT_MISUSE, "%s: %s", by, why.text);
	spawn_env(spawn, buf_str(&assignment), by);
}

static void hold_net(struct spawn *spawn,
		     const struct policy_statement *statement, const char *by)
{
	bool host = !strcmp(statement->words[0], "host");

	(void)by;
	/* The first layer that says it; the narrower of what its files say. */
	if (spawn->net_by && spawn->net_by->layer != statement->layer)
		return;
	if (!spawn->net_by || !host)
		spawn->sandbox.net = host ? NET_HOST : NET_NONE;
	spawn->net_by = statement;
}

/* The others, spawn_driver() and spawn_set_syscalls() have found themselves. */
static hold_statement *const holders[POLICY_KEYWORDS] = {
	[POLICY_READ] = hold_grant,    [POLICY_WRITE] = hold_grant,
	[POLICY_HIDE] = hold_hide,     [POLICY_TMPFS] = hold_tmpfs,
	[POLICY_DEVICE] = hold_device, [POLICY_ENV] = hold_env,
	[POLICY_NET] = hold_net,       [POLICY_LIMIT] = spawn_hold_limit,
};

static void hold(struct spawn *spawn, const struct policy_statement *statement)
{
	if (held_by(statement->keyword) != HOLDER_SPAWN ||
	    !holders[statement->keyword])
		return;
	holders[statement->keyword](spawn, statement,
				    place_of(spawn, statement));
}

static void narrow_net(struct spawn *spawn,
		       const struct policy_statement *statement, const char *by)
{
	if (spawn->sandbox.net == NET_NONE ||
	    !strcmp(statement->words[0], "host"))
		return;
	if (spawn->options.net)
		warn("%s: the ceiling says 'net %s', so 'net host' does not "
		     "hold",
		     by, statement->words[0]);
	spawn->sandbox.net = NET_NONE;
}

/* What grants holds nothing here: a ceiling only narrows. */
static hold_statement *const narrowers[POLICY_KEYWORDS] = {
	[POLICY_HIDE] = hold_hide,
	[POLICY_LIMIT] = spawn_narrow_limit,
	[POLICY_NET] = narrow_net,
};

static void narrow(struct spawn *spawn,
		   const struct policy_statement *statement)
{
	if (statement->layer == POLICY_CEILING && narrowers[statement->keyword])
		narrowers[statement->keyword](spawn, statement,
					      place_of(spawn, statement));
}

static void say_trust(const struct spawn *spawn)
{
	autobuf struct buf line = { 0 };

	/* Who froze the policies has heard it. */
	if (spawn->files.trust != PROJECT_CHANGED ||
	    spawn->options.frozen_fd >= 0)
		return;
	policyfiles_trust_line(&line, &spawn->files, spawn->options.project);
	warn("%s", buf_str(&line));
}

/* What an option says, or another policy, holds in spite of it. */
static void warn_of_ceiling(const char *name)
{
	if (policyfiles_is_ceiling(name))
		warn("--policy: '%s' is a ceiling, and binds neither options "
		     "nor other policies this way; '--ceiling %s' does",
		     name, name);
}

static int add_list(struct spawn *spawn, const struct opt_list *list,
		    enum policy_layer layer, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; i < list->count && !r; i++)
		r = policyfiles_add(&spawn->files, &spawn->policy,
				    list->items[i], layer, why);
	for (i = 0; i < list->count && !r && layer != POLICY_CEILING; i++)
		warn_of_ceiling(list->items[i]);
	return r;
}

static int read_files(struct spawn *spawn, struct why *why)
{
	const struct spawn_options *options = &spawn->options;
	struct policyfiles *files = &spawn->files;
	struct policy *policy = &spawn->policy;
	int r = add_list(spawn, &options->policies, POLICY_PROJECT, why);

	if (!r)
		r = add_list(spawn, &options->ceilings, POLICY_CEILING, why);
	if (!r && options->find_policy && !options->policies.count)
		r = policyfiles_find(files, policy, why);
	if (!r)
		r = policyfiles_add_found(files, policy, options->project, why);
	return r;
}

static void read_policies(struct spawn *spawn)
{
	/* By spawn_asker() and spawn_device(). */
	static const char *const asked[] = { "sandbox", "device", NULL };
	const struct spawn_options *options = &spawn->options;
	struct policy *policy = &spawn->policy;
	struct why why = { 0 };
	int r;

	if (options->frozen_fd >= 0 &&
	    (options->find_policy || options->policies.count ||
	     options->ceilings.count))
		die(EXIT_MISUSE, "--frozen-fd is all policies: neither "
				 "--policy nor --ceiling nor --find-policy "
				 "goes with it");
	policy->home = getenv("HOME");
	policy->project = spawn->project;
	policy->only = asked;
	r = policyfiles_add_rules(policy, options->rules.items,
				  options->rules.count, &why);
	if (!r && options->frozen_fd >= 0)
		r = policyfiles_thaw(&spawn->files, policy, options->frozen_fd,
				     &why);
	else if (!r)
		r = read_files(spawn, &why);
	if (!r)
		r = held_refuse(policy, &why);
	if (r < 0)
		die_why(&why);
	say_trust(spawn);
}

static void say_bounds(const struct policy *policy)
{
	autobuf struct buf lines = { 0 };
	char today[DAY_LEN + 1];
	struct why why = { 0 };

	day_today(today);
	if (bounds_check(policy, today, HOLDER_SPAWN, &lines, &why) < 0)
		die_why(&why);
	warn_lines(buf_span(&lines));
}

static void hold_layer(struct spawn *spawn, enum policy_layer layer)
{
	size_t i;

	for (i = 0; i < spawn->policy.statement_count; i++)
		if (spawn->policy.statements[i].layer == layer)
			hold(spawn, &spawn->policy.statements[i]);
}

static const struct policy_statement *driver_of(const struct spawn *spawn,
						enum policy_layer layer)
{
	const struct policy_statement *statement = spawn->policy.statements;
	const struct policy_statement *end =
		statement + spawn->policy.statement_count;

	for (; statement < end; statement++)
		if (statement->keyword == POLICY_DRIVER &&
		    statement->layer == layer)
			return statement;
	return NULL;
}

/*
 * An option stands in for policies, and of layers the first counts.  A ceiling
 * has its way with who may take either, or names a weaker one than it does.
 */
static void find_driver(struct spawn *spawn)
{
	const char *name = spawn->options.driver;
	const struct policy_statement *said = NULL;
	unsigned int layer;

	for (layer = POLICY_COMMAND; layer < POLICY_CEILING && !name; layer++)
		if ((said = driver_of(spawn, (enum policy_layer)layer)))
			name = said->words[0];
	said = driver_of(spawn, POLICY_CEILING);
	if (said && (!name || !strcmp(name, "auto") ||
		     !strcmp(said->words[0], "namespaces")))
		name = said->words[0];
	spawn_driver(spawn, name);
}

void spawn_policy(struct spawn *spawn)
{
	unsigned int layer;

	read_policies(spawn);
	say_bounds(&spawn->policy);
	spawn_asker(spawn);
	find_driver(spawn);
	for (layer = POLICY_COMMAND; layer < POLICY_CEILING; layer++)
		hold_layer(spawn, (enum policy_layer)layer);
}

void spawn_ceilings(struct spawn *spawn)
{
	size_t i;

	for (i = 0; i < spawn->policy.statement_count; i++)
		narrow(spawn, &spawn->policy.statements[i]);
}
