/* SPDX-License-Identifier: ISC */
/*
 * chock-cache - what sessions of a project find again in their home
 *
 * See chock-cache(1).
 */

#include "chock-cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ask/terminal.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/num.h"
#include "base/opt.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "record/json.h"
#include "spec/limits.h"
#include "workspace/project.h"
#include "workspace/quote.h"

static bool all;
static bool yes;
static bool json;
static int frozen_fd = -1;
static int entry_fd = -1;
static const char *most_said;
static struct opt_list rules_said;

static const struct opt_table options = {
	"chock-cache",
	"list [--json]\n"
	"clear [--all] [--yes] [PROJECT]\n"
	"open --frozen-fd FD [--rule RULE]... [PROJECT]\n"
	"take --fd FD --frozen-fd FD [--rule RULE]... [PROJECT]\n"
	"give --fd FD --most BYTES",
	"list and clear the caches that sessions of a project share",
	(const struct opt[]){
		{ 0, "all", NULL, "clear those of all projects", .flag = &all },
		{ 0, "yes", NULL, "ask nobody, for the answer is yes",
		  .flag = &yes },
		{ 0, "json", NULL, "print a record for each", .flag = &json },
		{ 0, "frozen-fd", "FD", "the policies, frozen",
		  .fd = &frozen_fd },
		{ 0, "fd", "FD", "the directory of the caches",
		  .fd = &entry_fd },
		{ 0, "most", "BYTES", "what they may have, or none",
		  .str = &most_said },
		{ 0, "rule", "RULE", "a rule that comes before all files",
		  .list = &rules_said },
		{ .name = NULL },
	},
};

static bool is_there(const struct entry *entry)
{
	struct stat st;

	return !stat(buf_str(&entry->project), &st) && S_ISDIR(st.st_mode);
}

static void add_row(struct buf *text, const struct entry *entry)
{
	autobuf struct buf size = { 0 };
	autobuf struct buf age = { 0 };

	rough_size(&size, entry->bytes);
	rough_age(&age, store_age(entry));
	buf_addf(text, "%.12s %8s %5s  ", entry->key, buf_str(&size),
		 buf_str(&age));
	quote_line(text, buf_span(&entry->project));
	if (!is_there(entry))
		buf_adds(text, "  (no longer there)");
	if (entry->running)
		buf_adds(text, "  (in use)");
	buf_addc(text, '\n');
}

static void add_record(struct buf *text, const struct entry *entry)
{
	json_open(text);
	json_str(text, "cache", span_of(entry->key));
	json_str(text, "project", buf_span(&entry->project));
	json_bool(text, "there", is_there(entry));
	json_num(text, "bytes", (int64_t)entry->bytes);
	json_num(text, "age", (int64_t)store_age(entry));
	json_bool(text, "running", entry->running);
	json_close_line(text);
}

static void list(const char *dir)
{
	struct entries entries = { 0 };
	autobuf struct buf text = { 0 };
	size_t i;

	(void)dir;
	store_all(&entries, true);
	for (i = 0; i < entries.count; i++)
		(json ? add_record : add_row)(&text, &entries.items[i]);
	print(&text);
	store_drop(&entries);
}

static bool said_yes(const struct buf *rows)
{
	autobuf struct buf question = { 0 };
	int r;

	if (yes)
		return true;
	buf_adds(&question, "chock: remove these caches:\n");
	buf_add(&question, buf_span(rows));
	r = terminal_confirm(buf_span(&question), span_of("remove? [y/N] "));
	if (r < 0)
		die(EXIT_DENY, "there is no terminal to ask on, and nothing is "
			       "removed; --yes would");
	return r;
}

/* The project that @dir is in, as chock-run(1) finds it; one that is gone is
 * named by the path that it had. */
static void find_project(struct buf *project, const char *dir)
{
	autofree char *real = realpath(dir, NULL);
	struct why why = { 0 };

	if (real && !project_root(project, dir, &why))
		return;
	buf_reset(project);
	buf_adds(project, real ? real : dir);
}

static bool is_meant(const struct entry *entry, const struct buf *project)
{
	return all || !strcmp(buf_str(&entry->project), buf_str(project));
}

static void say_nothing_kept(const struct buf *project)
{
	struct stat st;

	if (all)
		warn("no cache is kept");
	else if (stat(buf_str(project), &st) < 0)
		die_errno(EXIT_MISUSE, "cannot find the project '%s'",
			  buf_str(project));
	else
		warn("no cache of '%s' is kept", buf_str(project));
}

static bool clear_one(const struct entry *entry)
{
	autobuf struct buf text = { 0 };

	if (!store_remove(entry))
		return false;
	buf_addf(&text, "cleared %.12s, ", entry->key);
	rough_size(&text, entry->bytes);
	buf_addc(&text, '\n');
	print(&text);
	return true;
}

static void clear(const char *dir)
{
	struct entries entries = { 0 };
	autobuf struct buf project = { 0 };
	autobuf struct buf rows = { 0 };
	int status = EXIT_ALLOW;
	size_t i;

	find_project(&project, dir);
	store_all(&entries, true);
	for (i = 0; i < entries.count; i++)
		if (is_meant(&entries.items[i], &project))
			add_row(&rows, &entries.items[i]);
	if (!rows.len)
		say_nothing_kept(&project);
	if (rows.len && !said_yes(&rows))
		exit(EXIT_DENY);
	for (i = 0; i < entries.count; i++)
		if (is_meant(&entries.items[i], &project) &&
		    !clear_one(&entries.items[i]))
			status = EXIT_SYSTEM;
	store_drop(&entries);
	if (status)
		exit(status);
}

static void open_entry(const char *dir)
{
	cache_open(&(struct wanted){ dir, frozen_fd, &rules_said });
}

static void take(const char *dir)
{
	cache_take(&(struct wanted){ dir, frozen_fd, &rules_said }, entry_fd);
}

static void give(const char *dir)
{
	uint64_t bytes = LIMIT_NONE;

	(void)dir;
	if (strcmp(most_said, "none") != 0 &&
	    num_read(&bytes, span_of(most_said), LIMIT_MOST) < 0)
		die(EXIT_MISUSE, "--most: '%s' is no number of bytes",
		    most_said);
	cache_give(entry_fd, bytes);
}

static const struct opt_verb verbs[] = {
	{ "list", list, { NULL }, { "json" }, false },
	{ "clear", clear, { NULL }, { "all", "yes" }, true },
	{ "open", open_entry, { "frozen-fd" }, { "rule" }, true },
	{ "take", take, { "fd", "frozen-fd" }, { "rule" }, true },
	{ "give", give, { "fd", "most" }, { NULL }, false },
	{ .name = NULL },
};

int main(int argc, char **argv)
{
	const char *dir;
	const struct opt_verb *verb =
		opt_read_verb(verbs, &options, argc, argv, &dir);

	progress_open(STDERR_FILENO, options.program);
	verb->run(dir);
	free(rules_said.items);
	return EXIT_ALLOW;
}
