/* SPDX-License-Identifier: ISC */
#include "workspace/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/child.h"
#include "base/place.h"
#include "base/why.h"
#include "workspace/repo.h"

extern char **environ;

/*
 * Keys as `git config --list` prints them: in lower case.  Who shares the
 * project does not share the copy: core.sharedRepository stays behind, for by
 * it git makes set-gid directories, which no sandbox can.
 */
static const char *const carried[] = {
	"user.name",
	"user.email",
	"author.name",
	"author.email",
	"committer.name",
	"committer.email",
	"core.abbrev",
	"core.autocrlf",
	"core.checkstat",
	"core.commentchar",
	"core.eol",
	"core.filemode",
	"core.ignorecase",
	"core.precomposeunicode",
	"core.quotepath",
	"core.safecrlf",
	"core.sparsecheckout",
	"core.sparsecheckoutcone",
	"core.symlinks",
	"core.trustctime",
	"core.whitespace",
	"commit.cleanup",
	"commit.status",
	"commit.verbose",
	"diff.algorithm",
	"diff.mnemonicprefix",
	"diff.noprefix",
	"diff.renames",
	"i18n.commitencoding",
	"init.defaultbranch",
	"merge.conflictstyle",
	"pull.rebase",
	"rebase.autosquash",
};

/* Where git finds the person's and the system's files, and nothing else. */
static bool for_config(const char *pair)
{
	static const char *const kept[] = {
		"GIT_CONFIG_NOSYSTEM=",
		"GIT_CONFIG_SYSTEM=",
		"GIT_CONFIG_GLOBAL=",
		"GIT_CEILING_DIRECTORIES=",
		"GIT_DISCOVERY_ACROSS_FILESYSTEM=",
	};
	size_t i;

	if (strncmp(pair, "GIT_", 4) != 0)
		return strncmp(pair, "PATH=", 5) != 0;
	for (i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (!strncmp(pair, kept[i], strlen(kept[i])))
			return true;
	return false;
}

static int list_config(struct buf *list, const char *dir, struct why *why)
{
	const char *const argv[] = { "git",          "-C",     dir,
				     "config",       "--list", "-z",
				     "--show-scope", NULL };
	autofree const char **env = NULL;
	autobuf struct buf program = { 0 };
	struct child child = {
		.argv = argv, .in_fd = -1, .out_fd = -1, .err_fd = -1
	};
	size_t count = 0;
	size_t i;
	int r = place_host(&program, "git", why);

	if (r < 0)
		return r;
	for (i = 0; environ[i]; i++) {
		if (!for_config(environ[i]))
			continue;
		env = alloc_array(env, count, sizeof(*env));
		env[count++] = environ[i];
	}
	env = alloc_array(env, count, sizeof(*env));
	env[count++] = "PATH=" PLACE_HOST_PATH;
	env = alloc_array(env, count, sizeof(*env));
	env[count] = NULL;
	child.program = buf_str(&program);
	child.env = env;
	r = child_run_read(&child, list, BUF_MAX, why);
	if (r > 0)
		return why_set(why, EINVAL,
			       "cannot read the git configuration that holds "
			       "in '%s'",
			       dir);
	return r;
}

/* Whether @text is a number other than 0: git has them in C's notations, and
 * with a unit. */
static bool is_number(const char *text)
{
	const bool signed_one = *text == '-' || *text == '+';
	const char *digits = text + signed_one;
	const bool hex = digits[0] == '0' && (digits[1] | 32) == 'x';
	const char *unit;

	digits += hex ? 2 : 0;
	unit = digits +
	       strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
	if (unit == digits || (*unit && (!strchr("kKmMgG", *unit) || unit[1])))
		return false;
	return strspn(digits, "0") < (size_t)(unit - digits);
}

bool settings_is_true(const char *value)
{
	return !value || !strcasecmp(value, "true") ||
	       !strcasecmp(value, "yes") || !strcasecmp(value, "on") ||
	       is_number(value);
}

static bool ends(const char *name, const char *end)
{
	size_t len = strlen(name);
	size_t end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

/* A path of a configuration file: "~/" is the home, others are not read. */
static void set_path(struct buf *path, const char *value)
{
	const char *home = getenv("HOME");

	buf_reset(path);
	if (*value == '/') {
		buf_adds(path, value);
	} else if (!strncmp(value, "~/", 2) && home && *home == '/') {
		buf_adds(path, home);
		buf_adds(path, value + 1);
	}
}

static void set_text(struct buf *text, const char *value)
{
	buf_reset(text);
	buf_adds(text, value);
}

static bool is_carried(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(carried) / sizeof(*carried); i++)
		if (!strcmp(name, carried[i]))
			return true;
	return false;
}

/* Whether the last part of the key @name, in lower case, is in @list. */
static bool is_named(const char *name, const char *const *list)
{
	const char *dot = strrchr(name, '.');

	while (dot && *list && strcmp(dot + 1, *list) != 0)
		list++;
	return dot && *list;
}

/* Whether it ends as something in @list does. */
static bool ends_as(const char *name, const char *const *list)
{
	while (*list && !ends(name, *list))
		list++;
	return *list;
}

/* A value that a key of `url.VALUE.insteadOf` has in it. */
static void take_base(struct settings *s, const char *name)
{
	const char *base = name + strlen("url.");
	const char *dot = strrchr(name, '.');

	if (!strncmp(name, "url.", strlen("url.")) && dot > base)
		names_add(&s->values,
			  (struct span){ base, (size_t)(dot - base) });
}

/*
 * What git-config(1) and the tools beside git know that names a program
 * without a path, or a file that does so.  What has a path is looked at
 * whatever its key is, but for names of references, what people write, and
 * the places that are trusted.
 */
static void take_place(struct settings *s, const char *name, const char *value)
{
	static const char *const commands[] = {
		"askpass",  "browser",     "clean",      "cmd",
		"command",  "difffilter",  "driver",     "editor",
		"external", "fsmonitor",   "gitproxy",   "helper",
		"hook",     "httpd",       "pager",      "process",
		"program",  "receivepack", "smtpserver", "smudge",
		"textconv", "tunnel",      "update",     "uploadpack",
		"vcs",      NULL
	};
	static const char *const places[] = { "attributesfile", "hookspath",
					      "path", "templatedir", NULL };
	static const char *const plain[] = { "description", "directory",
					     "fetch",       "merge",
					     "push",        NULL };

	take_base(s, name);
	if (is_named(name, places))
		names_add(&s->places, span_of(value));
	else if (ends_as(name, commands) || !strncmp(name, "pager.", 6) ||
		 (!strncmp(name, "alias.", 6) && *value == '!'))
		names_add(&s->commands, span_of(value));
	else if (!is_named(name, plain) && strchr(value, '/'))
		names_add(&s->values, span_of(value));
}

/* What the project's own configuration can hold is as good as its files. */
static bool is_persons(const char *scope)
{
	return !strcmp(scope, "global") || !strcmp(scope, "system");
}

/*
 * safe.directory counts only where the project cannot have set it, as git
 * itself has it; and so does what names a file whose text comes into a copy.
 */
static void take(struct settings *s, struct names *safe, const char *scope,
		 const char *name, const char *value)
{
	if (is_carried(name))
		repo_setting(&s->config, name, span_of(value));
	if (!strcmp(name, "user.name"))
		set_text(&s->name, value);
	else if (!strcmp(name, "user.email"))
		set_text(&s->email, value);
	else if (!strcmp(name, "core.excludesfile") && is_persons(scope))
		set_path(&s->excludes, value);
	else if (!strcmp(name, "core.attributesfile") && is_persons(scope))
		set_path(&s->attributes, value);
	else if (!strcmp(name, "core.worktree"))
		s->worktree = true;
	else if (!strcmp(name, "core.sparsecheckout"))
		s->sparse = settings_is_true(value);
	else if (!strcmp(name, "core.sparsecheckoutcone"))
		s->cone = settings_is_true(value);
	else if (!strcmp(name, "extensions.partialclone") ||
		 (!strncmp(name, "remote.", 7) && ends(name, ".promisor") &&
		  settings_is_true(value)))
		s->partial = true;
	else if (!strcmp(name, "safe.directory") && is_persons(scope))
		names_add(safe, span_of(value));
}

static void set_trust(struct names *trust, const struct names *safe)
{
	size_t i;

	for (i = 0; i < safe->count; i++) {
		autofree char *key =
			alloc_text("GIT_CONFIG_KEY_%zu=safe.directory", i);
		autofree char *value = alloc_text("GIT_CONFIG_VALUE_%zu=%s", i,
						  safe->items[i]);

		names_add(trust, span_of(key));
		names_add(trust, span_of(value));
	}
	autofree char *total = alloc_text("GIT_CONFIG_COUNT=%zu", safe->count);

	names_add(trust, span_of(total));
}

/* The files that git reads where the configuration names no others. */
static void set_default_paths(struct settings *s)
{
	const char *base = getenv("XDG_CONFIG_HOME");
	const char *between = "";

	if (!base || *base != '/') {
		base = getenv("HOME");
		between = "/.config";
	}
	if (!base || *base != '/')
		return;
	buf_addf(&s->excludes, "%s%s/git/ignore", base, between);
	buf_addf(&s->attributes, "%s%s/git/attributes", base, between);
}

/*
 * As git has it, the environment counts for more than any file; but what a
 * policy sets in the sandbox counts for more than the copy's file.
 */
static void take_identity(struct settings *s)
{
	static const struct {
		const char *variable, *name;
	} rows[] = {
		{ "GIT_AUTHOR_NAME", "author.name" },
		{ "GIT_AUTHOR_EMAIL", "author.email" },
		{ "GIT_COMMITTER_NAME", "committer.name" },
		{ "GIT_COMMITTER_EMAIL", "committer.email" },
	};
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		value = getenv(rows[i].variable);
		if (value && *value)
			repo_setting(&s->config, rows[i].name, span_of(value));
	}
}

int settings_read(struct settings *settings, const char *dir, struct why *why)
{
	autobuf struct buf list = { 0 };
	autonames struct names words = { 0 };
	autonames struct names safe = { 0 };
	size_t i;
	int r;

	if (access(dir, X_OK) < 0)
		return why_sys(why, errno, "cannot open '%s'", dir);
	r = list_config(&list, dir, why);
	if (r < 0)
		return r;
	set_default_paths(settings);
	names_split(&words, buf_span(&list), '\0');
	for (i = 0; i + 1 < words.count; i += 2) {
		char *name = words.items[i + 1];
		char *newline = strchr(name, '\n');

		if (newline)
			*newline = '\0';
		take(settings, &safe, words.items[i], name,
		     newline ? newline + 1 : "true");
		take_place(settings, name, newline ? newline + 1 : "true");
	}
	take_identity(settings);
	set_trust(&settings->trust, &safe);
	return 0;
}

void settings_drop(struct settings *settings)
{
	buf_drop(&settings->config);
	buf_drop(&settings->excludes);
	buf_drop(&settings->attributes);
	buf_drop(&settings->name);
	buf_drop(&settings->email);
	names_drop(&settings->commands);
	names_drop(&settings->places);
	names_drop(&settings->values);
	names_drop(&settings->trust);
	*settings = (struct settings){ 0 };
}
