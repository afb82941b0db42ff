/* SPDX-License-Identifier: ISC */
/* The policies that nobody named: where they are, and as what they count. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/place.h"
#include "base/why.h"
#include "policyfile/opener.h"
#include "policyfile/trust.h"

#define DEFAULTS "defaults"
#define BASE "base"
#define CEILING "/etc/chock/ceiling.policy"

_Static_assert(POLICYFILES_DATE_LEN == TRUST_DATE_LEN, "a date is a date");

/* Reads @path, which need not be there.  Returns 1 if it is. */
static int add_present(const struct opener *opener, struct policy *policy,
		       const char *path, struct why *why)
{
	int r = opener_add(opener, policy, path, why);

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	return r < 0 ? r : 1;
}

static int add_guarded(struct policyfiles *files, struct policy *policy,
		       const char *path, enum policy_layer layer,
		       struct why *why)
{
	const struct opener opener = { files, layer, opener_guarded, NULL, -1 };

	return add_present(&opener, policy, path, why);
}

/* Without a home directory a person has no files of their own. */
static int add_own(struct policyfiles *files, struct policy *policy,
		   const char *name, enum policy_layer layer, struct why *why)
{
	autobuf struct buf path = { 0 };
	struct why ignored = { 0 };

	if (place_config(&path, &ignored) < 0)
		return 0;
	buf_adds(&path, name);
	return add_guarded(files, policy, buf_str(&path), layer, why);
}

int policyfiles_add_operator(struct policyfiles *files, struct policy *policy,
			     struct why *why)
{
	return add_own(files, policy, "/policy", POLICY_OPERATOR, why);
}

int policyfiles_find(struct policyfiles *files, struct policy *policy,
		     struct why *why)
{
	int r = policyfiles_add_operator(files, policy, why);

	if (!r)
		r = policyfiles_add(files, policy, BASE, POLICY_OPERATOR, why);
	return r < 0 ? r : 0;
}

/* ---- the project's own -------------------------------------------------- */

/*
 * Puts into files->trust what a person said about the policy of the project
 * @real, and into @now its files if it is what they saw.
 */
static int look_at_trust(struct policyfiles *files, struct trust *now,
			 const char *real, struct why *why)
{
	autotrust struct trust seen = { 0 };
	autoclose int project_fd = -1;
	int r = trust_load(&seen, real, why);

	files->trust = PROJECT_FOREIGN;
	if (r <= 0)
		return r;
	memcpy(files->trusted_on, seen.date, sizeof(files->trusted_on));
	project_fd = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
	files->trust = project_fd >= 0 && trust_compare(now, &seen, project_fd)
			       ? PROJECT_TRUSTED
			       : PROJECT_CHANGED;
	return 0;
}

static bool has_named(const struct policyfiles *files)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		if (files->files[i].layer == POLICY_PROJECT)
			return true;
	return false;
}

/* Judges the very bytes that were compared; nothing is read a second time. */
static int add_trusted(struct policyfiles *files, struct policy *policy,
		       const char *path, const struct trust *now,
		       struct why *why)
{
	const struct opener opener = { files, POLICY_PROJECT, opener_kept, NULL,
				       -1 };
	size_t dir_len = strlen(path) - strlen(TRUST_POLICY);
	size_t i;

	for (i = 0; i < now->count; i++) {
		autobuf struct buf name = { 0 };

		buf_add(&name, (struct span){ path, dir_len });
		buf_adds(&name, now->files[i].name);
		opener_keep(&opener, buf_str(&name),
			    buf_span(&now->files[i].bytes));
	}
	return opener_add(&opener, policy, path, why);
}

static int add_project(struct policyfiles *files, struct policy *policy,
		       const char *project, struct why *why)
{
	const struct opener opener = { files, POLICY_CEILING, opener_any, NULL,
				       -1 };
	autofree char *real = realpath(project, NULL);
	autotrust struct trust now = { 0 };
	autobuf struct buf path = { 0 };
	struct stat st;
	int r = 0;

	buf_addf(&path, "%s/%s", project, TRUST_POLICY);
	if (lstat(buf_str(&path), &st) < 0 &&
	    (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (real)
		r = look_at_trust(files, &now, real, why);
	if (r < 0)
		return r;
	if (files->trust != PROJECT_TRUSTED)
		return add_present(&opener, policy, buf_str(&path), why);
	/* What was named stands in for it, as it does for the operator's. */
	return has_named(files)
		       ? 0
		       : add_trusted(files, policy, buf_str(&path), &now, why);
}

int policyfiles_add_beneath(struct policyfiles *files, struct policy *policy,
			    const char *project, int project_fd,
			    struct why *why)
{
	const struct opener opener = { files, POLICY_PROJECT, opener_beneath,
				       project, project_fd };
	autobuf struct buf path = { 0 };

	buf_addf(&path, "%s/%s", project, TRUST_POLICY);
	return opener_add(&opener, policy, buf_str(&path), why);
}

int policyfiles_add_found(struct policyfiles *files, struct policy *policy,
			  const char *project, struct why *why)
{
	int r = policyfiles_add(files, policy, DEFAULTS, POLICY_DEFAULTS, why);

	if (!r)
		r = add_guarded(files, policy, CEILING, POLICY_CEILING, why);
	if (r >= 0)
		r = add_own(files, policy, "/ceiling", POLICY_CEILING, why);
	if (r >= 0 && project)
		r = add_project(files, policy, project, why);
	return r < 0 ? r : 0;
}

/* ---- what there is to say of it ----------------------------------------- */

const char *policyfiles_trust_word(const struct policyfiles *files)
{
	static const char *const words[] = {
		[PROJECT_UNSEEN] = "none",
		[PROJECT_FOREIGN] = "foreign",
		[PROJECT_CHANGED] = "changed",
		[PROJECT_TRUSTED] = "trusted",
	};

	return words[files->trust];
}

void policyfiles_trust_line(struct buf *line, const struct policyfiles *files,
			    const char *project)
{
	if (files->trust == PROJECT_FOREIGN)
		buf_addf(line,
			 "%s/%s is not trusted: it narrows only; 'chock trust' "
			 "shows it and asks",
			 project, TRUST_POLICY);
	if (files->trust == PROJECT_CHANGED)
		buf_addf(line,
			 "%s/%s changed since it was trusted on %.10s: it "
			 "narrows only; 'chock trust' shows the difference",
			 project, TRUST_POLICY, files->trusted_on);
}
