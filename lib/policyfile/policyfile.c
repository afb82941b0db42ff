/* SPDX-License-Identifier: ISC */
#include "policyfile/policyfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/place.h"
#include "base/why.h"
#include "policy/rule.h"
#include "policyfile/guard.h"
#include "policyfile/opener.h"
#include "policyfile/trust.h"

#define SUFFIX ".policy"
#define SHIPPED_MAX 256 /* names that are looked at for the nearest one */

struct names {
	char *items[SHIPPED_MAX]; /* owned */
	size_t count;
};

/* ---- shipped policies, by name ------------------------------------------ */

static bool is_word(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
					   "0123456789-")];
}

static int shipped_path(struct buf *path, const char *name, struct why *why)
{
	int r = place_policies(path, why);

	if (r < 0)
		return r;
	buf_addc(path, '/');
	buf_adds(path, name);
	buf_adds(path, SUFFIX);
	return 0;
}

static void list_shipped(struct names *names)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };
	struct dirent *entry;
	DIR *dir;

	if (place_policies(&path, &why) < 0)
		return;
	dir = opendir(buf_str(&path));
	while (dir && names->count < SHIPPED_MAX && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len <= strlen(SUFFIX))
			continue;
		len -= strlen(SUFFIX);
		if (strcmp(entry->d_name + len, SUFFIX) != 0)
			continue;
		names->items[names->count++] = alloc_copy(entry->d_name, len);
	}
	if (dir)
		(void)closedir(dir);
}

static int not_shipped(const char *name, struct why *why)
{
	struct names names = { .count = 0 };
	bool suggest = name[strspn(name, ".")] != '\0';
	const char *near;
	size_t i;

	list_shipped(&names);
	near = nearest_word(span_of(name), (const char *const *)names.items,
			    names.count);
	if (near)
		(void)why_set(why, ENOENT,
			      "no policy '%s' is shipped; did you mean '%s'?",
			      name, near);
	else
		(void)why_set(why, ENOENT,
			      "no policy '%s' is shipped; a file is named by a "
			      "path with a slash%s%s",
			      name, suggest ? ", such as ./" : "",
			      suggest ? name : "");
	for (i = 0; i < names.count; i++)
		free(names.items[i]);
	return -ENOENT;
}

bool policyfiles_is_ceiling(const char *name)
{
	return !strcmp(name, "strict") || !strcmp(name, "no-network");
}

/* ---- reading ------------------------------------------------------------ */

/* What was read under @name for @layer before, or NULL. */
static const struct policyfile *kept(const struct policyfiles *files,
				     const char *name, enum policy_layer layer)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		if (files->files[i].layer == layer &&
		    !strcmp(files->files[i].name, name))
			return &files->files[i];
	return NULL;
}

void opener_keep(const struct opener *opener, const char *name,
		 struct span bytes)
{
	struct policyfile file = { .layer = opener->layer };
	struct policyfiles *files = opener->files;

	file.name = alloc_copy(name, strlen(name));
	buf_add(&file.bytes, bytes);
	files->files =
		alloc_array(files->files, files->count, sizeof(*files->files));
	files->files[files->count++] = file;
}

static int read_shipped(struct buf *bytes, const char *name, struct why *why)
{
	autobuf struct buf path = { 0 };
	int r;

	if (!is_word(name))
		return not_shipped(name, why);
	r = shipped_path(&path, name, why);
	if (r < 0)
		return r;
	r = file_read_path(bytes, AT_FDCWD, buf_str(&path), POLICY_BYTES_MAX,
			   why);
	return r == -ENOENT ? not_shipped(name, why) : r;
}

static int read_named(const struct opener *opener, struct buf *bytes,
		      const char *name, struct why *why)
{
	if (!strchr(name, '/'))
		return read_shipped(bytes, name, why);
	return opener->read(opener, bytes, name, why);
}

int opener_any(const struct opener *opener, struct buf *bytes, const char *name,
	       struct why *why)
{
	(void)opener;
	return file_read_path(bytes, AT_FDCWD, name, POLICY_BYTES_MAX, why);
}

int opener_guarded(const struct opener *opener, struct buf *bytes,
		   const char *name, struct why *why)
{
	(void)opener;
	return guard_read(bytes, name, POLICY_BYTES_MAX, why);
}

int opener_beneath(const struct opener *opener, struct buf *bytes,
		   const char *name, struct why *why)
{
	size_t skip = strlen(opener->project) + strlen("/");

	return trust_fetch(bytes, opener->project_fd, name + skip, why);
}

int opener_kept(const struct opener *opener, struct buf *bytes,
		const char *name, struct why *why)
{
	(void)opener;
	(void)bytes;
	return why_set(why, EINVAL, "'%s' was not read before", name);
}

/* Whether @name has no "." or ".." behind its "./", nor an empty part. */
static bool stays_beside(const char *name)
{
	const char *part = name + 2;

	for (;;) {
		size_t len = strcspn(part, "/");

		if (!len || (len == 1 && *part == '.') ||
		    (len == 2 && part[0] == '.' && part[1] == '.'))
			return false;
		if (!part[len])
			return true;
		part += len + 1;
	}
}

/* The file ./FILE beside @from; beside a shipped policy there is none. */
static int beside(struct buf *file, const char *name, const char *from,
		  struct why *why)
{
	const char *slash = strrchr(from, '/');

	if (strncmp(name, "./", 2) != 0 || !stays_beside(name))
		return why_set(why, EINVAL,
			       "'%s' is neither the name of a shipped policy "
			       "nor ./FILE beside this one",
			       name);
	if (!slash)
		return why_set(why, EINVAL, "no file stands beside '%s'", from);
	buf_add(file, (struct span){ from, (size_t)(slash - from) });
	buf_adds(file, name + 1);
	return 0;
}

/* What @name is, read now or before: a file that two include may change. */
static int read_once(const struct opener *opener, struct buf *bytes,
		     const char *name, struct why *why)
{
	const struct policyfile *before =
		kept(opener->files, name, opener->layer);
	int r;

	if (before) {
		buf_add(bytes, buf_span(&before->bytes));
		return 0;
	}
	r = read_named(opener, bytes, name, why);
	if (!r)
		opener_keep(opener, name, buf_span(bytes));
	return r;
}

static int fetch(void *context, const char *name, const char *from,
		 struct buf *file, struct buf *bytes, struct why *why)
{
	int r = 0;

	if (strchr(name, '/'))
		r = beside(file, name, from, why);
	else
		buf_adds(file, name);
	return r < 0 ? r : read_once(context, bytes, buf_str(file), why);
}

static void keep_root(const struct opener *opener, const char *name)
{
	struct policyfiles *files = opener->files;
	const struct policyfile *root = kept(files, name, opener->layer);

	files->roots = alloc_array(files->roots, files->root_count,
				   sizeof(*files->roots));
	files->roots[files->root_count++] = (size_t)(root - files->files);
}

int opener_add(const struct opener *opener, struct policy *policy,
	       const char *name, struct why *why)
{
	struct opener own = *opener;
	const struct policy_includer includer = { fetch, &own };
	autobuf struct buf bytes = { 0 };
	int r = read_once(opener, &bytes, name, why);

	if (r < 0)
		return r;
	keep_root(opener, name);
	return policy_add(policy, name, buf_span(&bytes), opener->layer,
			  &includer, why);
}

int policyfiles_add(struct policyfiles *files, struct policy *policy,
		    const char *name, enum policy_layer layer, struct why *why)
{
	const struct opener opener = { files, layer, opener_any, NULL, -1 };

	return opener_add(&opener, policy, name, why);
}

/* Whether line @number of the rules from @first on is one. */
static bool is_rule(const struct policy *policy, size_t first, size_t number)
{
	size_t i;

	for (i = first; i < policy->rule_count; i++)
		if (policy->rules[i].origin.line == number)
			return true;
	return false;
}

int policyfiles_add_rules(struct policy *policy, const char *const *rules,
			  size_t count, struct why *why)
{
	autobuf struct buf text = { 0 };
	size_t first = policy->rule_count;
	size_t i;
	int r;

	for (i = 0; i < count; i++) {
		if (strchr(rules[i], '\n'))
			return why_set(why, EINVAL,
				       "--rule has a newline in it");
		buf_adds(&text, rules[i]);
		buf_addc(&text, '\n');
	}
	r = policy_add(policy, "--rule", buf_span(&text), POLICY_COMMAND, NULL,
		       why);
	if (r < 0)
		return r;
	for (i = 0; i < count; i++)
		if (!is_rule(policy, first, i + 1))
			return why_set(why, EINVAL,
				       "--rule: '%s' is not DECISION ACTION "
				       "[FIELD VALUE]...",
				       rules[i]);
	return 0;
}

void policyfiles_drop(struct policyfiles *files)
{
	size_t i;

	for (i = 0; i < files->count; i++) {
		free(files->files[i].name);
		buf_drop(&files->files[i].bytes);
	}
	free(files->files);
	free(files->roots);
	*files = (struct policyfiles){ 0 };
}
