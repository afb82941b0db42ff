/* SPDX-License-Identifier: ISC */
/*
 * What policies say of the paths that an apply changes: which of them a policy
 * is read from, and which are protected.
 *
 * A path is protected if any rule that is not an allow names it, whichever
 * layer it stands in: a rule that names one more path extends the list that is
 * shipped, and none takes one off it.  What is answered about a path is for
 * chock-policy-eval to say, and there an allow counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "policy/attributes.h"
#include "policy/glob.h"
#include "policy/policy.h"
#include "policy/rule.h"
#include "policyfile/policyfile.h"
#include "policyfile/trust.h"
#include "workspace/names.h"
#include "workspace/reach.h"

#define LIST "protected" /* the shipped policy */
#define ACTION "workspace.protected"

static int read_policies(struct rules *rules, const struct applying *a,
			 struct why *why)
{
	struct policyfiles *files = &rules->files;
	struct policy *policy = &rules->policy;
	int r = policyfiles_add_rules(policy, a->rules.items, a->rules.count,
				      why);

	if (!r && a->frozen_fd >= 0) {
		r = policyfiles_thaw(files, policy, a->frozen_fd, why);
	} else if (!r) {
		r = policyfiles_find(files, policy, why);
		if (r >= 0)
			r = policyfiles_add_found(files, policy, rules->root,
						  why);
	}
	return r < 0 ? r
		     : policyfiles_add(files, policy, LIST, POLICY_DEFAULTS,
				       why);
}

void rules_open(struct rules *rules, const struct applying *applying,
		const char *root)
{
	struct why why = { 0 };

	*rules = (struct rules){ .root = root };
	rules->policy.home = getenv("HOME");
	rules->policy.project = rules->root;
	if (read_policies(rules, applying, &why) < 0)
		die_why(&why);
}

/* A ceiling grants nothing, and so says nothing here. */
enum course_way rules_way(const struct rules *rules,
			  const struct applying *applying)
{
	const struct policy *policy = &rules->policy;
	enum course_way way = COURSE_MERGE;
	enum policy_layer first = POLICY_CEILING;
	size_t i;

	if (applying->way != COURSE_WAYS)
		return applying->way;
	for (i = 0; i < policy->statement_count; i++) {
		const struct policy_statement *at = &policy->statements[i];

		if (at->keyword != POLICY_APPLY || at->layer >= first)
			continue;
		first = at->layer;
		way = course_way_of(at->words[0]);
	}
	return way;
}

/* The files below the project that the policy was read from. */
static void find_files(struct names *paths, const struct policyfiles *files,
		       const char *root)
{
	const size_t len = strlen(root);
	size_t i;

	names_add(paths, span_of(TRUST_POLICY));
	for (i = 0; i < files->count; i++) {
		const char *name = files->files[i].name;
		autofree char *real = strchr(name, '/') ? realpath(name, NULL)
							: NULL;

		if (real && !strncmp(real, root, len) && real[len] == '/')
			names_add(paths, span_of(real + len + 1));
	}
	names_tidy(paths);
}

/* The list of protected paths, to be held against many. */
struct listed {
	struct attributes attributes; /* the path is in lower case */
	char *path;                   /* owned; of attributes */
};

static void to_lower(char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			*text = (char)(*text - 'A' + 'a');
}

/* A pattern's rest and root are what is cut off it. */
static void add_listed(struct listed *listed, const struct attributes *from)
{
	const size_t cut = (size_t)(from->rest.data - from->path.data);

	listed->attributes = *from;
	listed->path = alloc_copy(from->path.data, from->path.len);
	to_lower(listed->path);
	listed->attributes.path = span_of(listed->path);
	listed->attributes.rest = span_from(listed->attributes.path, cut);
}

static struct listed *list(const struct policy *policy, size_t *count)
{
	struct listed *all = NULL;
	size_t i;

	*count = 0;
	for (i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		if (rule->decision == DECISION_ALLOW ||
		    !rule->attributes.path.data ||
		    !rule_field_fits(rule->action, span_of(ACTION)))
			continue;
		all = alloc_array(all, *count, sizeof(*all));
		add_listed(&all[(*count)++], &rule->attributes);
	}
	return all;
}

static bool is_listed(const struct listed *all, size_t count, const char *path)
{
	const struct act act = { .path = span_of(path) };
	struct glob_path glob = { .path = act.path };
	bool found = false;
	size_t i;

	for (i = 0; !found && i < count; i++)
		found = !attributes_differ(&all[i].attributes, &act, &glob,
					   false);
	glob_drop(&glob);
	return found;
}

/*
 * A file system may not tell capital letters from small ones.  A link in the
 * place of a directory has all that its target has in it below its name.
 */
static bool is_protected(const struct listed *all, size_t count,
			 const char *path, bool link)
{
	autofree char *below = alloc_text("%s/x", path);
	const size_t len = strlen(path);
	bool found;

	to_lower(below);
	found = link && is_listed(all, count, below);
	below[len] = '\0';
	return found || is_listed(all, count, below);
}

/* What a name by which a change can be reached is held against. */
struct against {
	const struct listed *all;
	size_t count;
	bool link;
	bool git; /* found below .git, where no session's work is */
};

static bool is_against(void *context, const char *name)
{
	struct against *against = context;

	if (!is_protected(against->all, against->count, name, against->link))
		return false;
	against->git = !strncmp(name, ".git/", 5);
	return true;
}

static bool leads_on(enum effect_mode mode)
{
	return mode == EFFECT_LINK || mode == EFFECT_MODULE;
}

/* The policies that nobody has a rule in say nothing of any name. */
static enum protect_reason protect_of(const struct effect_change *change,
				      const struct listed *all, size_t count,
				      const struct reach *reach)
{
	struct against against = {
		.all = all,
		.count = count,
		.link = leads_on(change->was) || leads_on(change->mode),
	};

	if (is_against(&against, change->path))
		return PROTECT_NAMED;
	if (!count || !reach_any(reach, change->path, is_against, &against))
		return PROTECT_NONE;
	return against.git ? PROTECT_GIT : PROTECT_REACHED;
}

void rules_mark(struct effect *effect, const struct rules *rules,
		const struct reach *reach)
{
	autonames struct names paths = { 0 };
	size_t count;
	struct listed *all = list(&rules->policy, &count);
	size_t i;

	find_files(&paths, &rules->files, rules->root);
	for (i = 0; i < effect->change_count; i++) {
		struct effect_change *change = &effect->changes[i];

		change->policy = names_has(&paths, change->path);
		if (!change->protect)
			change->protect = protect_of(change, all, count, reach);
	}
	for (i = 0; i < count; i++)
		free(all[i].path);
	free(all);
}

void rules_drop(struct rules *rules)
{
	policy_drop(&rules->policy);
	policyfiles_drop(&rules->files);
	rules->root = NULL;
}
