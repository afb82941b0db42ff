/* SPDX-License-Identifier: ISC */
/* Which policies chock-policy-eval judges by. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/report.h"
#include "base/why.h"
#include "chock-policy-eval.h"

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
	int r = judge->options->find_policy
			? policyfiles_find(&judge->files, &judge->policy, why)
			: policyfiles_add_operator(&judge->files,
						   &judge->policy, why);

	return r < 0 ? r : 0;
}

/* A project may be reached by two names: as it was said, and the real one. */
static int find_project(struct judge *judge, struct why *why)
{
	const char *project = judge->options->project;
	struct stat st;
	size_t count = 0;

	if (!project)
		return 0;
	judge->real_project = realpath(project, NULL);
	if (!judge->real_project || stat(judge->real_project, &st) < 0)
		return why_sys(why, errno, "cannot find the project '%s'",
			       project);
	if (!S_ISDIR(st.st_mode))
		return why_set(why, ENOTDIR, "the project '%s' is no directory",
			       project);
	judge->projects[count++] = judge->real_project;
	if (*project == '/')
		judge->projects[count] = project;
	return 0;
}

static int read_policies(struct judge *judge, struct why *why)
{
	const struct eval_options *options = judge->options;
	int r = add_list(judge, &options->policies, POLICY_PROJECT, why);

	if (!r)
		r = add_list(judge, &options->ceilings, POLICY_CEILING, why);
	if (!r && !options->policies.count)
		r = add_unnamed(judge, why);
	if (!r)
		r = policyfiles_add_found(&judge->files, &judge->policy,
					  judge->real_project, why);
	return r;
}

void judge_open(struct judge *judge, const struct eval_options *options)
{
	struct why why = { 0 };
	int r;

	*judge = (struct judge){ .options = options, .control.lines.fd = -1 };
	judge->policy.home = getenv("HOME");
	r = find_project(judge, &why);
	judge->policy.project = judge->real_project;
	judge->stream.policy = &judge->policy;
	judge->policy.restrictions = &judge->stream.restrictions;
	if (!r)
		r = policyfiles_add_rules(&judge->policy, options->rules.items,
					  options->rules.count, &why);
	if (!r && options->frozen_fd >= 0)
		r = policyfiles_thaw(&judge->files, &judge->policy,
				     options->frozen_fd, &why);
	else if (!r)
		r = read_policies(judge, &why);
	if (r < 0)
		die_why(&why);
	state_open(judge);
	/* Who froze them has heard it. */
	if (options->frozen_fd < 0)
		judge_warn(judge);
}

void judge_drop(struct judge *judge)
{
	stream_drop(&judge->stream);
	policy_drop(&judge->policy);
	policyfiles_drop(&judge->files);
	free(judge->real_project);
	buf_drop(&judge->beside);
}
