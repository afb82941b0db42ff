/* SPDX-License-Identifier: ISC */
/*
 * chock-cache - the part that says which caches a session gets, and makes them
 *
 * Names come from the policies.  Each cache is a directory of its own in the
 * entry, whatever its path in the home, so that no sandbox can write to what
 * another one is in.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/identity.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-cache.h"
#include "policy/glob.h"
#include "policy/path.h"
#include "policy/policy.h"
#include "policy/rule.h"
#include "policyfile/policyfile.h"
#include "record/json.h"
#include "workspace/quote.h"

#define LIST "caches" /* the shipped policy */
#define ACTION "cache.keep"
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define HOME_LEN_MAX 80 /* bytes of a path; a name has three for each */

/* What is put between the fields that make a key is in none of them. */
static void make_key(char key[SHA256_HEX + 1], const char *project,
		     const struct opt_list *rules, struct span frozen)
{
	autoclose int fd = open(project, O_PATH | O_CLOEXEC);
	autobuf struct buf place = { 0 };
	struct identity identity;
	size_t i;

	if (fd < 0)
		die_errno(EXIT_MISUSE, "cannot find the project '%s'", project);
	if (identity_of(&identity, fd) < 0)
		die_errno(EXIT_SYSTEM, "cannot look at '%s'", project);
	buf_add(&place, (struct span){ project, strlen(project) + 1 });
	identity_write(&identity, &place);
	for (i = 0; i < rules->count; i++)
		buf_add(&place, (struct span){ rules->items[i],
					       strlen(rules->items[i]) + 1 });
	buf_addc(&place, '\0');
	sha256_hex_two(key, buf_span(&place), frozen);
}

static void check_path(const struct policy_rule *rule)
{
	const struct span path = rule->attributes.path;
	const char *fault = path_fault(path);
	size_t i;

	for (i = 0; i < path.len && !fault; i++)
		if (strchr("*?[~@", path.data[i]) ||
		    (path.data[i] == '/' &&
		     (!i || i + 1 == path.len || path.data[i - 1] == '/')))
			fault = "no plain path below the home";
	if (!fault && path.len > HOME_LEN_MAX)
		fault = "a path of more than 80 bytes";
	if (!fault && (rule->tool.name.data || rule->model.name.data ||
		       rule->agent.name.data))
		fault = "kept for all who run, and the rule is of some";
	if (fault)
		die(EXIT_MISUSE, "%s:%u: cannot keep '%.*s': it is %s",
		    rule->origin.file, rule->origin.line, (int)path.len,
		    path.data, fault);
}

/* Whether @rule is of the act of keeping @path, or of @path as a directory. */
static bool fits(const struct policy_rule *rule, struct span path)
{
	autobuf struct buf dir = { 0 };
	const char *differs = NULL;
	size_t i;

	buf_add(&dir, path);
	buf_addc(&dir, '/');
	for (i = 0; i < 2 && (!i || differs); i++) {
		const struct act act = {
			.path = { buf_str(&dir), path.len + i },
		};
		struct glob_path glob = { .path = act.path };

		differs = attributes_differ(&rule->attributes, &act, &glob,
					    rule->decision == DECISION_ALLOW);
		glob_drop(&glob);
	}
	return !differs;
}

/*
 * Any rule that is no allow takes off what it fits, in whichever layer and
 * whoever it is of: what is kept is there for all who run.  So does one that
 * fits a directory above.
 */
static bool is_refused(const struct policy *policy, struct span path)
{
	size_t i, len;

	for (i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];

		if (rule->decision == DECISION_ALLOW ||
		    !rule_field_fits(rule->action, span_of(ACTION)))
			continue;
		for (len = path.len; len; len--)
			if ((len == path.len || path.data[len] == '/') &&
			    fits(rule, (struct span){ path.data, len }))
				return true;
	}
	return false;
}

static bool is_named(const struct policy_rule *rule)
{
	return rule->decision == DECISION_ALLOW &&
	       rule->layer != POLICY_CEILING && rule->attributes.path.data &&
	       span_is(rule->action.name, ACTION);
}

/* One in another would be in a directory that a sandbox owns. */
static void check_apart(const struct policy *policy,
			const struct policy_rule *rule)
{
	const struct span path = rule->attributes.path;
	size_t i;

	for (i = 0; i < policy->rule_count; i++) {
		const struct span above = policy->rules[i].attributes.path;

		if (is_named(&policy->rules[i]) && above.len < path.len &&
		    path.data[above.len] == '/' &&
		    !memcmp(path.data, above.data, above.len) &&
		    !is_refused(policy, above))
			die(EXIT_MISUSE,
			    "%s:%u: cannot keep '%.*s': '%.*s' above it is "
			    "kept",
			    rule->origin.file, rule->origin.line, (int)path.len,
			    path.data, (int)above.len, above.data);
	}
}

static void name_of(struct buf *name, struct span path)
{
	size_t i;

	for (i = 0; i < path.len; i++) {
		const unsigned char c = (unsigned char)path.data[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || (i && c && strchr("._-", c)))
			buf_addc(name, (char)c);
		else
			buf_addf(name, "%%%02X", (unsigned int)c);
	}
}

/* A sandbox may have changed the mode; whose it is it cannot. */
static void make_dir(int above, const char *name)
{
	autoclose int fd = -1;
	struct stat st;

	if (mkdirat(above, name, 0700) < 0 && errno != EEXIST)
		die_errno(EXIT_SYSTEM, "cannot make the cache '%s'", name);
	if (fchmodat(above, name, 0700, AT_SYMLINK_NOFOLLOW) < 0)
		die_errno(EXIT_SYSTEM, "cannot own the cache '%s'", name);
	fd = openat(above, name, DIRECTORY);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid())
		die(EXIT_SYSTEM, "cannot use the cache '%s': it is not ours",
		    name);
}

static void add_cache(struct buf *record, int fd, const char *dir,
		      struct span path)
{
	autobuf struct buf name = { 0 };
	autobuf struct buf bind = { 0 };

	name_of(&name, path);
	make_dir(fd, buf_str(&name));
	quote_bind(&bind, span_of(dir));
	buf_addc(&bind, '/');
	buf_add(&bind, buf_span(&name));
	buf_adds(&bind, ":/run/chock/home/");
	quote_bind(&bind, path);
	json_item(record, buf_span(&bind));
}

static void add_caches(struct buf *record, const struct policy *policy, int fd,
		       const char *dir)
{
	size_t i, j;

	json_open_array(record, "bind");
	for (i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];
		const struct span path = rule->attributes.path;

		for (j = 0; j < i; j++)
			if (is_named(&policy->rules[j]) &&
			    span_equal(policy->rules[j].attributes.path, path))
				break;
		if (j < i || !is_named(rule) || is_refused(policy, path))
			continue;
		check_path(rule);
		check_apart(policy, rule);
		add_cache(record, fd, dir, path);
	}
	json_close_array(record);
}

/* One that says so already is not written again. */
static void say_project(const char *dir, const char *project)
{
	autofree char *path = alloc_text("%s/" CACHE_PROJECT, dir);
	autobuf struct buf said = { 0 };
	struct why why = { 0 };

	if (file_read_path(&said, AT_FDCWD, path, PATH_MAX, &why) < 0 ||
	    !span_is(buf_span(&said), project)) {
		if (file_put(dir, CACHE_PROJECT, span_of(project), &why) < 0)
			die_why(&why);
	}
}

/* The entry's directory, which says whose it is before it has a cache. */
static int open_entry(struct buf *dir, const char *key, const char *project)
{
	autoclose int store = store_open(dir, true);
	int fd;

	buf_addf(dir, "/%s", key);
	make_dir(store, key);
	fd = openat(store, key, DIRECTORY);
	if (fd < 0 || futimens(fd, NULL) < 0)
		die_errno(EXIT_SYSTEM, "cannot write to '%s'", buf_str(dir));
	say_project(buf_str(dir), project);
	return fd;
}

void cache_take(const char *project, int frozen, const struct opt_list *rules)
{
	autopolicyfiles struct policyfiles files = { 0 };
	autofree char *root = realpath(project, NULL);
	autopolicy struct policy policy = { .home = getenv("HOME"),
					    .project = root };
	autobuf struct buf bytes = { 0 };
	autobuf struct buf record = { 0 };
	autobuf struct buf dir = { 0 };
	autoclose int fd = -1;
	char key[SHA256_HEX + 1];
	struct why why = { 0 };

	if (!root)
		die_errno(EXIT_MISUSE, "cannot find the project '%s'", project);
	if (policyfiles_add_rules(&policy, rules->items, rules->count, &why) <
		    0 ||
	    policyfiles_thaw(&files, &policy, frozen, &why) < 0)
		die_why(&why);
	policyfiles_freeze(&bytes, &files);
	if (policyfiles_add(&files, &policy, LIST, POLICY_DEFAULTS, &why) < 0)
		die_why(&why);
	make_key(key, root, rules, buf_span(&bytes));
	fd = open_entry(&dir, key, root);
	json_open(&record);
	json_str(&record, "dir", buf_span(&dir));
	add_caches(&record, &policy, fd, buf_str(&dir));
	json_close_line(&record);
	print(&record);
}
