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
#include "base/flatname.h"
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
	autobuf struct buf long_path = { 0 };
	const char *fault = path_fault(path);
	size_t i;

	for (i = 0; i < path.len && !fault; i++)
		if (strchr("*?[~@", path.data[i]) ||
		    (path.data[i] == '/' &&
		     (!i || i + 1 == path.len || path.data[i - 1] == '/')))
			fault = "no plain path below the home";
	if (!fault && path.len > FLATNAME_PATH_MAX) {
		buf_addf(&long_path, "a path of more than %zu bytes",
			 FLATNAME_PATH_MAX);
		fault = buf_str(&long_path);
	}
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

/* Of an entry of ours, so that nobody else changes it meanwhile.  A sandbox may
 * have changed the mode; whose it is it cannot. */
static void make_cache(int above, const char *name)
{
	autoclose int fd = -1;
	struct stat st;

	if (mkdirat(above, name, 0700) < 0 && errno != EEXIST)
		die_errno(EXIT_SYSTEM, "cannot make the cache '%s'", name);
	if (fchmodat(above, name, 0700, AT_SYMLINK_NOFOLLOW) < 0)
		die_errno(EXIT_SYSTEM, "cannot own the cache '%s'", name);
	fd = openat(above, name, STORE_DIRECTORY);
	if (fd < 0 || fstat(fd, &st) < 0)
		die_errno(EXIT_SYSTEM, "cannot use the cache '%s'", name);
	if (st.st_uid != geteuid())
		die(EXIT_SYSTEM, "cannot use the cache '%s': it is not ours",
		    name);
}

static void add_cache(struct buf *record, int fd, const char *dir,
		      struct span path)
{
	autobuf struct buf name = { 0 };
	autobuf struct buf bind = { 0 };

	flatname_add(&name, path);
	make_cache(fd, buf_str(&name));
	quote_bind(&bind, span_of(dir));
	buf_addc(&bind, '/');
	buf_add(&bind, buf_span(&name));
	buf_adds(&bind, ":/run/chock/home/");
	quote_bind(&bind, path);
	json_item(record, buf_span(&bind));
}

typedef void cache_do(void *context, struct span path);

static bool is_before(const struct policy *policy, size_t end, struct span path)
{
	size_t i;

	for (i = 0; i < end; i++)
		if (is_named(&policy->rules[i]) &&
		    span_equal(policy->rules[i].attributes.path, path))
			return true;
	return false;
}

/* Does it for each that is kept, once. */
static void each_cache(const struct policy *policy, cache_do *make,
		       void *context)
{
	size_t i;

	for (i = 0; i < policy->rule_count; i++) {
		const struct policy_rule *rule = &policy->rules[i];
		const struct span path = rule->attributes.path;

		if (!is_named(rule) || is_before(policy, i, path) ||
		    is_refused(policy, path))
			continue;
		check_path(rule);
		check_apart(policy, rule);
		make(context, path);
	}
}

/* ---- the entry ---------------------------------------------------------- */

struct taking {
	struct policyfiles files;
	struct policy policy;
	char *root; /* owned */
	char key[SHA256_HEX + 1];
	struct buf dir; /* of the entry */
	int store_fd;   /* owned */
	int fd;         /* borrowed; the entry */
	struct buf record;
};

static void begin(struct taking *t, const struct wanted *wanted)
{
	autobuf struct buf bytes = { 0 };
	struct why why = { 0 };

	*t = (struct taking){ .root = realpath(wanted->project, NULL) };
	if (!t->root)
		die_errno(EXIT_MISUSE, "cannot find the project '%s'",
			  wanted->project);
	t->policy.home = getenv("HOME");
	t->policy.project = t->root;
	if (policyfiles_add_rules(&t->policy, wanted->rules->items,
				  wanted->rules->count, &why) < 0 ||
	    policyfiles_thaw(&t->files, &t->policy, wanted->frozen_fd, &why) <
		    0)
		die_why(&why);
	policyfiles_freeze(&bytes, &t->files);
	if (policyfiles_add(&t->files, &t->policy, LIST, POLICY_DEFAULTS,
			    &why) < 0)
		die_why(&why);
	make_key(t->key, t->root, wanted->rules, buf_span(&bytes));
	t->store_fd = store_open(&t->dir, true);
	buf_addf(&t->dir, "/%s", t->key);
	json_open(&t->record);
	json_str(&t->record, "dir", buf_span(&t->dir));
}

static void end(struct taking *t)
{
	json_close_line(&t->record);
	print(&t->record);
	buf_drop(&t->record);
	buf_drop(&t->dir);
	auto_close(&t->store_fd);
	free(t->root);
	policy_drop(&t->policy);
	policyfiles_drop(&t->files);
}

/* One that says so already is not written again. */
static void say_project(const struct taking *t)
{
	autobuf struct buf said = { 0 };
	struct why why = { 0 };
	int r = file_read_path(&said, t->fd, CACHE_PROJECT, PATH_MAX, &why);

	if (r < 0 || !span_is(buf_span(&said), t->root))
		r = file_put(buf_str(&t->dir), CACHE_PROJECT, span_of(t->root),
			     &why);
	if (r < 0)
		die_why(&why);
}

static void nothing(void *context, struct span path)
{
	(void)context;
	(void)path;
}

void cache_open(const struct wanted *wanted)
{
	struct taking t;
	struct stat st;

	begin(&t, wanted);
	/* A rule that names no cache leaves no entry behind. */
	each_cache(&t.policy, nothing, NULL);
	if (mkdirat(t.store_fd, t.key, 0700) < 0 && errno != EEXIST)
		die_errno(EXIT_SYSTEM, "cannot make '%s'", buf_str(&t.dir));
	if (fstatat(t.store_fd, t.key, &st, AT_SYMLINK_NOFOLLOW) < 0)
		die_errno(EXIT_SYSTEM, "cannot look at '%s'", buf_str(&t.dir));
	if (!S_ISDIR(st.st_mode))
		die(EXIT_SYSTEM, "cannot use '%s': it is no directory",
		    buf_str(&t.dir));
	end(&t);
}

static void take_one(void *context, struct span path)
{
	struct taking *t = context;

	add_cache(&t->record, t->fd, buf_str(&t->dir), path);
}

/* What others may have dropped between the two calls is not taken. */
static void own(const struct taking *t)
{
	struct stat st, named;
	int r = store_lock(t->fd);

	if (r == -EWOULDBLOCK)
		exit(EXIT_DENY);
	if (r < 0)
		die(EXIT_SYSTEM, "cannot lock '%s': %s", buf_str(&t->dir),
		    strerror(-r));
	if (fstat(t->fd, &st) < 0 ||
	    fstatat(t->store_fd, t->key, &named, AT_SYMLINK_NOFOLLOW) < 0)
		die_errno(EXIT_SYSTEM, "cannot look at '%s'", buf_str(&t->dir));
	if (st.st_dev != named.st_dev || st.st_ino != named.st_ino ||
	    st.st_uid != geteuid())
		die(EXIT_SYSTEM, "cannot use '%s': what is open is another",
		    buf_str(&t->dir));
	if (fchmod(t->fd, 0700) < 0 || futimens(t->fd, NULL) < 0)
		die_errno(EXIT_SYSTEM, "cannot write to '%s'",
			  buf_str(&t->dir));
}

void cache_take(const struct wanted *wanted, int fd)
{
	struct taking t;

	begin(&t, wanted);
	t.fd = fd;
	own(&t);
	say_project(&t);
	json_open_array(&t.record, "bind");
	each_cache(&t.policy, take_one, &t);
	json_close_array(&t.record);
	end(&t);
}
