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

#define LIST "protected" /* the shipped policy */
#define ACTION "workspace.protected"

static int read_policies(struct policyfiles *files, struct policy *policy,
			 const struct applying *a, struct why *why)
{
	int r = policyfiles_add_rules(policy, a->rules.items, a->rules.count,
				      why);

	if (!r && a->frozen_fd >= 0) {
		r = policyfiles_thaw(files, policy, a->frozen_fd, why);
	} else if (!r) {
		r = policyfiles_find(files, policy, why);
		if (r >= 0)
			r = policyfiles_add_found(files, policy,
						  policy->project, why);
	}
	return r < 0 ? r
		     : policyfiles_add(files, policy, LIST, POLICY_DEFAULTS,
				       why);
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

static bool is_listed(const struct policy *policy, const char *path)
{
	const struct act act = { .path = span_of(path) };
	struct glob_path glob = { .path = act.path };
	bool found = false;
	size_t i;

	for (i = 0; !found && i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		found = rule->decision != DECISION_ALLOW &&
			rule->attributes.path.data &&
			rule_field_fits(rule->action, span_of(ACTION)) &&
			!attributes_differ(&rule->attributes, &act, &glob,
					   false);
	}
	glob_drop(&glob);
	return found;
}

void rules_mark(struct effect *effect, const struct applying *applying,
		const struct project *project)
{
	autopolicyfiles struct policyfiles files = { 0 };
	const char *root = buf_str(&project->root);
	autopolicy struct policy policy = { .home = getenv("HOME"),
					    .project = root };
	autonames struct names paths = { 0 };
	struct why why = { 0 };
	size_t i;

	if (!effect->change_count)
		return;
	if (read_policies(&files, &policy, applying, &why) < 0)
		die_why(&why);
	find_files(&paths, &files, root);
	for (i = 0; i < effect->change_count; i++) {
		struct change *change = &effect->changes[i];

		change->policy = names_has(&paths, change->path);
		if (!change->hazard && is_listed(&policy, change->path))
			change->hazard = HAZARD_NAMED;
	}
}
