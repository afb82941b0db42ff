/* SPDX-License-Identifier: ISC */
/*
 * What a session committed beside the branch, at references in the project.
 *
 * All that can be are written by one transaction.  A session chooses the names:
 * what git cannot have beside another is found before, and left by itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "workspace/also.h"
#include "workspace/git.h"
#include "workspace/land.h"

/* Reasons in a message; all names are in the record. */
#define REASONS_MAX 5

struct keeping {
	struct also *also;
	const struct project *project;
	char *prefix;       /* owned; "refs/chock-also/ID/" */
	struct names there; /* "ID NAME" each, NAME from heads/ or tags/ on */
	struct names taken; /* names, of those that are there or are to be */
	struct buf lines;   /* for `git update-ref --stdin -z` */
};

static void leave(struct keeping *k, const char *name, const char *reason)
{
	struct buf *said = &k->also->reason;

	names_add(&k->also->left, span_of(name));
	if (k->also->left.count > REASONS_MAX)
		return;
	buf_addf(said, "%scannot write '%s%s': %s", said->len ? "; " : "",
		 k->prefix, name, reason);
}

static int find_there(struct keeping *k, struct why *why)
{
	const char *const args[] = { "for-each-ref",
				     "--format=%(objectname) %(refname)",
				     k->prefix, NULL };
	struct git git = project_git(k->project);
	autobuf struct buf out = { 0 };
	struct span rest;
	int r = git_settle(&git, git_read(&git, args, &out, why),
			   "look at what is kept already", why);

	for (rest = buf_span(&out); !r && rest.len;) {
		struct span name = span_cut(&rest, '\n');
		const struct span id = span_cut(&name, ' ');
		autobuf struct buf line = { 0 };

		name = span_from(name, strlen(k->prefix));
		buf_add(&line, id);
		buf_addc(&line, ' ');
		buf_add(&line, name);
		names_add(&k->there, buf_span(&line));
		names_add(&k->taken, name);
	}
	return r;
}

/* The object that the reference of @name has; NULL: there is none. */
static const char *object_of(const struct keeping *k, const char *name,
			     struct buf *object)
{
	size_t i;

	for (i = 0; i < k->there.count; i++) {
		struct span rest = span_of(k->there.items[i]);
		const struct span id = span_cut(&rest, ' ');

		if (!span_is(rest, name))
			continue;
		buf_add(object, id);
		return buf_str(object);
	}
	return NULL;
}

static bool is_below(const char *name, const char *other)
{
	const size_t len = strlen(other);

	return !strncmp(name, other, len) && name[len] == '/';
}

/* To git one is a file where the other needs a directory. */
static const char *rival_of(const struct keeping *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->taken.count; i++) {
		const char *other = k->taken.items[i];

		if (!strcmp(name, other) || is_below(name, other) ||
		    is_below(other, name))
			return other;
	}
	return NULL;
}

static void add_line(struct keeping *k, const char *name, const char *to,
		     const char *old)
{
	buf_addf(&k->lines, "%s %s%s", old ? "update" : "create", k->prefix,
		 name);
	buf_addc(&k->lines, '\0');
	buf_adds(&k->lines, to);
	buf_addc(&k->lines, '\0');
	if (!old)
		return;
	buf_adds(&k->lines, old);
	buf_addc(&k->lines, '\0');
}

static void keep(struct keeping *k, const char *name)
{
	autofree char *ref = alloc_text("%s%s", k->prefix, name);

	names_add(&k->also->kept, span_of(ref));
}

static void plan_new(struct keeping *k, const char *name, const char *to)
{
	const char *rival = rival_of(k, name);
	autofree char *reason =
		rival ? alloc_text("git cannot have it beside '%s'", rival)
		      : NULL;

	if (rival) {
		leave(k, name, reason);
		return;
	}
	names_add(&k->taken, span_of(name));
	add_line(k, name, to, NULL);
	keep(k, name);
}

static int plan(struct keeping *k, const char *name, const char *to,
		struct why *why)
{
	autobuf struct buf object = { 0 };
	const char *old = object_of(k, name, &object);
	const char *const follows[] = { "merge-base", "--is-ancestor", old, to,
					NULL };
	struct git git = project_git(k->project);
	int r;

	if (!old) {
		plan_new(k, name, to);
		return 0;
	}
	r = strcmp(old, to) ? git_run(&git, follows, why) : 0;
	if (r < 0)
		return r;
	if (r > 0) {
		leave(k, name, "it holds other work");
		return 0;
	}
	if (strcmp(old, to) != 0)
		add_line(k, name, to, old);
	keep(k, name);
	return 0;
}

static int write_lines(const struct keeping *k, struct why *why)
{
	static const char *const args[] = {
		"update-ref", "--create-reflog",
		"-m",         "chock: work of a session",
		"--stdin",    "-z",
		NULL
	};
	struct git git = project_git(k->project);
	autobuf struct buf out = { 0 };

	int r;

	if (!k->lines.len)
		return 0;
	git.env = &k->project->reflog;
	r = git_filter(&git, args, buf_span(&k->lines), &out, why);
	/* Another git has one, or its lock. */
	return r > 0 ? why_set(why, EBUSY,
			       "cannot keep the other branches and tags: git: "
			       "%s",
			       git.said)
		     : r;
}

static int bring_in(const struct space *space, const struct project *project,
		    struct why *why)
{
	autofree char *path = alloc_text("%s/" ALSO_PACK, space->dir);
	autoclose int pack_fd = open(path, O_RDONLY | O_CLOEXEC);

	return pack_fd < 0 ? why_sys(why, errno, "cannot open '%s'", path)
			   : land_pack(space, project, pack_fd, why);
}

static void keep_none(struct also *also, const struct why *why)
{
	size_t i;

	names_drop(&also->kept);
	names_drop(&also->left);
	for (i = 0; i < also->refs.count; i++)
		names_add(&also->left, span_of(also->refs.items[i]));
	buf_reset(&also->reason);
	buf_adds(&also->reason, why->text);
}

int also_keep(struct also *also, const struct space *space,
	      const struct project *project, struct why *why)
{
	struct keeping k = {
		.also = also,
		.project = project,
		.prefix = alloc_text(ALSO_PARKED "%s/", buf_str(&space->id)),
	};
	int r = bring_in(space, project, why);
	size_t i;

	if (!r)
		r = find_there(&k, why);
	for (i = 0; !r && i < also->ids.count; i++)
		r = plan(&k, also->refs.items[i], also->ids.items[i], why);
	if (!r)
		r = write_lines(&k, why);
	if (r < 0)
		keep_none(also, why);
	else if (also->left.count > REASONS_MAX)
		buf_addf(&also->reason, "; and %zu more",
			 also->left.count - REASONS_MAX);
	auto_free(&k.prefix);
	names_drop(&k.there);
	names_drop(&k.taken);
	buf_drop(&k.lines);
	return r;
}
