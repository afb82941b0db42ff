/* SPDX-License-Identifier: ISC */
/*
 * chock-workspace - a throwaway copy of a git project, and the way back
 *
 * Each verb prints one record.  It starts git, so unlike its neighbours it
 * cannot give up the right to open files; instead, nothing here opens what a
 * sandbox could write, but for the copy's removal.
 * See chock-workspace(1), chock-protocol(7).
 */

#include "chock-workspace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/exitcode.h"
#include "base/opt.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-workspace-start.h"
#include "record/json.h"
#include "workspace/create.h"
#include "workspace/differ.h"
#include "workspace/inside.h"
#include "workspace/project.h"
#include "workspace/proposal.h"
#include "workspace/quote.h"
#include "workspace/space.h"
#include "workspace/template.h"

static const char *session_id;
static const char *workspace;
static const char *to_commit;
static const char *to_tree;
static bool allow_dirty;
static bool in_place;
static uint64_t template_files = TEMPLATE_FILES;
static const char *also;
static const char *onto;
static const char *way_word;
static const char *landing;
static bool no_integrate;
static bool stat_only;
static uint64_t seconds = INSIDE_SECONDS;
static uint64_t pack_max = EFFECT_PACK_MAX;
static int frozen_fd = -1;
static struct opt_list rules;

static const struct opt_table options = {
	"chock-workspace",
	"list\n"
	"diff|apply|adopt|export|clear SESSION\n"
	"root [DIR]\n"
	"create --session ID --workspace W [--allow-dirty] [--in-place]\n"
	"       [--template-files N] [--frozen-fd FD] [--rule RULE]... [DIR]\n"
	"enter --workspace W [DIR]\n"
	"question --workspace W [--timeout TIME] [--pack-max BYTES]\n"
	"         [--apply WAY] [--frozen-fd FD] [--rule RULE]...\n"
	"apply --workspace W --to COMMIT --tree TREE [--onto COMMIT]\n"
	"      [--apply WAY] [--landing WORD] [--no-integrate] [--also ID]\n"
	"apply --workspace W --also ID\n"
	"recover --workspace W\n"
	"diff --workspace W [--stat] [--timeout TIME]\n"
	"adopt --workspace W [--timeout TIME]\n"
	"export --workspace W [--timeout TIME]\n"
	"clear --workspace W",
	"make a throwaway copy of a git project, and bring its commits back",
	(const struct opt[]){
		{ 's', "session", "ID", "the session's name",
		  .str = &session_id },
		{ 'w', "workspace", "W", "the workspace's directory",
		  .str = &workspace },
		{ 0, "allow-dirty", NULL,
		  "copy uncommitted and untracked files as well",
		  .flag = &allow_dirty },
		{ 0, "in-place", NULL,
		  "have nothing of it shown at another path",
		  .flag = &in_place },
		{ 0, "template-files", "N",
		  "from how many files on it begins from a template",
		  .num = &template_files, .max = UINT32_MAX },
		{ 0, "to", "COMMIT", "the commit that the question named",
		  .str = &to_commit },
		{ 0, "tree", "TREE", "the tree that the question named",
		  .str = &to_tree },
		{ 0, "also", "ID", "the other branches that the question named",
		  .str = &also },
		{ 0, "onto", "COMMIT", "where the branch was in the question",
		  .str = &onto },
		{ 0, "apply", "WAY", "merge, rebase, squash, ask or park",
		  .str = &way_word },
		{ 0, "landing", "WORD", "what the question said becomes of it",
		  .str = &landing },
		{ 0, "no-integrate", NULL,
		  "keep the work at its reference, and move no branch",
		  .flag = &no_integrate },
		{ 0, "stat", NULL, "show a line a file", .flag = &stat_only },
		{ 0, "timeout", "TIME", "how long git may take in a sandbox",
		  .seconds = &seconds, .min = 1, .max = INSIDE_SECONDS_MAX },
		{ 0, "pack-max", "BYTES",
		  "how large the session's commits may be", .num = &pack_max,
		  .max = INT64_MAX },
		{ 0, "frozen-fd", "FD",
		  "take the policies that chock-policy-eval --freeze printed",
		  .fd = &frozen_fd },
		{ 'r', "rule", "RULE", "a rule that comes before all policies",
		  .list = &rules },
		{ .name = NULL },
	},
};

void open_both(struct space *space, struct project *project,
	       const char *directory)
{
	struct why why = { 0 };

	if (space_open(space, directory, &why) < 0)
		die_why(&why);
	if (!space->made)
		die(EXIT_MISUSE,
		    "cannot use '%s': it was never finished; clear it",
		    directory);
	if (space_project(space, project, &why) < 0)
		die_why(&why);
}

static struct applying applying(void)
{
	const enum course_way way = way_word ? course_way_of(way_word)
					     : COURSE_WAYS;

	if (way_word && way == COURSE_WAYS)
		die(EXIT_MISUSE,
		    "no way to apply is called '%s'; there are merge, rebase, "
		    "squash, ask and park",
		    way_word);
	if (landing && strcmp(landing, PROPOSAL_PARKED) != 0 &&
	    strcmp(landing, "fast-forward") != 0 &&
	    course_way_of(landing) > COURSE_SQUASH)
		die(EXIT_MISUSE,
		    "nothing is landing as '%s'; there are fast-forward, "
		    "merge, rebase, squash and parked",
		    landing);
	return (struct applying){
		.workspace = workspace,
		.to = to_commit,
		.tree = to_tree,
		.also = also,
		.onto = onto,
		.way = way,
		.landing = landing,
		.no_integrate = no_integrate,
		.seconds = seconds,
		.pack_max = pack_max,
		.frozen_fd = frozen_fd,
		.rules = rules,
	};
}

static void root(const char *dir)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };

	if (project_root(&path, dir, &why) < 0)
		die_why(&why);
	print(&path);
}

static void print_created(const struct space *space,
			  const struct project *project, const struct buf *note)
{
	autobuf struct buf record = { 0 };
	autonames struct names binds = { 0 };
	size_t i;

	json_open(&record);
	json_str(&record, "session", buf_span(&space->id));
	json_str(&record, "project", buf_span(&space->project));
	json_str(&record, "workspace", span_of(space->dir));
	json_str(&record, "copy", span_of(space->copy));
	if (space->below.len) {
		json_str(&record, "below", buf_span(&space->below));
		json_str(&record, "layers", span_of(space->layers));
	}
	if (space->branch.len)
		json_str(&record, "branch", buf_span(&space->branch));
	json_str(&record, "head", buf_span(&space->head));
	json_open_array(&record, "objects");
	for (i = 0; !space->apart && i < project->stores.count; i++)
		json_item(&record, span_of(project->stores.items[i]));
	json_close_array(&record);
	create_binds(&binds, space, project);
	json_open_array(&record, "bind");
	for (i = 0; i < binds.count; i++)
		json_item(&record, span_of(binds.items[i]));
	json_close_array(&record);
	if (note->len)
		json_str(&record, "note", buf_span(note));
	print_record(&record);
}

static void create(const char *dir)
{
	const struct applying said = applying();
	autorules struct rules found = { 0 };
	autohides struct hides hides = { 0 };
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autobuf struct buf note = { 0 };
	struct why why = { 0 };

	if (!space_is_id(session_id))
		die(EXIT_MISUSE, "'%s' cannot name a session", session_id);
	space.in_place = in_place;
	if (project_open(&project, dir, &why) < 0)
		die_why(&why);
	/* A sparse index is made whole, and its trees among the objects. */
	if (project.sparse.len && keep_times(&why) < 0)
		die_why(&why);
	rules_open(&found, &said, buf_str(&project.root));
	hides_find(&hides, &found);
	if (hides.patterns.count)
		space.hiding = &hides.hiding;
	if (space_start(&space, &project, session_id, workspace, &why) < 0)
		die_why(&why);
	if (create_workspace(
		    &space, &project,
		    &(struct create_how){ allow_dirty, template_files }, &note,
		    &why) < 0)
		die_why(&why);
	print_created(&space, &project, &note);
}

static void enter(const char *dir)
{
	enter_copy(workspace, dir);
}

static void question(const char *dir)
{
	const struct applying said = applying();

	(void)dir;
	put_questions(&said);
}

static void apply(const char *dir)
{
	const struct applying said = applying();

	(void)dir;
	if (said.way == COURSE_ASK)
		die(EXIT_MISUSE, "apply: 'ask' is what a question does");
	if (!to_commit != !to_tree || (!to_commit && !also))
		die(EXIT_MISUSE,
		    "apply needs --to COMMIT and --tree TREE, or --also ID");
	apply_work(&said);
}

static void recover(const char *dir)
{
	const struct applying said = applying();

	(void)dir;
	recover_work(&said);
}

static void diff(const char *dir)
{
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autobuf struct buf text = { 0 };
	autobuf struct buf shown = { 0 };
	const struct inside inside = { &space, &project, seconds };
	autodiffer_left struct differ_left left = { 0 };
	struct why why = { 0 };
	size_t i;

	(void)dir;
	open_both(&space, &project, workspace);
	if (differ_show(&text, &left, &inside, stat_only, &why) < 0)
		die_why(&why);
	bound_show(&text, &space);
	if (isatty(STDOUT_FILENO))
		quote_shown(&shown, buf_span(&text));
	print(isatty(STDOUT_FILENO) ? &shown : &text);
	for (i = 0; i < left.odd.count; i++)
		warn("'%.*s' is neither file nor link by now, and is not "
		     "shown",
		     REPORT_NAME_MAX, left.odd.items[i]);
}

static void adopt(const char *dir)
{
	(void)dir;
	adopt_work(workspace, seconds);
}

static void export(const char *dir)
{
	(void)dir;
	export_work(workspace, seconds);
}

static void clear(const char *dir)
{
	autospace struct space space = { 0 };
	autobuf struct buf record = { 0 };
	autoprogress struct progress progress = { 0 };
	struct why why = { 0 };

	(void)dir;
	progress_begin(&progress, "removing the workspace");
	if (space_open(&space, workspace, &why) < 0 ||
	    space_remove(&space, &why) < 0)
		die_why(&why);
	json_open(&record);
	json_str(&record, "session", buf_span(&space.id));
	json_str(&record, "cleared", span_of(space.dir));
	print_record(&record);
}

/* What each verb must have, what it may have, and whether a DIR follows. */
static const struct opt_verb verbs[] = {
	{ "root", root, { NULL }, { NULL }, true },
	{ "create",
	  create,
	  { "session", "workspace" },
	  { "allow-dirty", "in-place", "template-files", "frozen-fd", "rule" },
	  true },
	{ "enter", enter, { "workspace" }, { NULL }, true },
	{ "question",
	  question,
	  { "workspace" },
	  { "timeout", "pack-max", "apply", "frozen-fd", "rule" },
	  false },
	{ "apply",
	  apply,
	  { "workspace" },
	  { "to", "tree", "also", "no-integrate", "onto", "apply", "landing" },
	  false },
	{ "recover", recover, { "workspace" }, { NULL }, false },
	{ "diff", diff, { "workspace" }, { "stat", "timeout" }, false },
	{ "adopt", adopt, { "workspace" }, { "timeout" }, false },
	{ "export", export, { "workspace" }, { "timeout" }, false },
	{ "clear", clear, { "workspace" }, { NULL }, false },
	{ .name = NULL },
};

int main(int argc, char **argv)
{
	const struct opt_verb *verb;
	const char *dir;

	progress_open(STDERR_FILENO, "chock-workspace");
	workspace_for_person(argc, argv);
	verb = opt_read_verb(verbs, &options, argc, argv, &dir);
	workspace_limit_git(seconds);
	verb->run(dir);
	return EXIT_ALLOW;
}
