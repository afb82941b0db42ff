/* SPDX-License-Identifier: ISC */
/*
 * chock-overlay - the workspace of a directory without git, and the way back
 *
 * Nothing is started here but git, to read what it would run of the project,
 * and what a session wrote is opened by descriptors only, without following a
 * link.
 * See chock-overlay(1), chock-protocol(7).
 */

#include "chock-overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "cow/node.h"
#include "record/json.h"
#include "workspace/changeset.h"
#include "workspace/course.h"
#include "workspace/effect.h"
#include "workspace/names.h"
#include "workspace/questions.h"
#include "workspace/reach.h"
#include "workspace/space.h"

static const char *session_id;
static const char *workspace;
static const char *to_tree;
static const char *way_word;
static bool snapshot;
static int frozen_fd = -1;
static struct opt_list rules_said;

static const struct opt_table options = {
	"chock-overlay",
	"create --session ID --workspace W [--snapshot] [DIR]\n"
	"question --workspace W [--apply WAY] [--frozen-fd FD]\n"
	"         [--rule RULE]...\n"
	"apply --workspace W --tree TREE\n"
	"diff --workspace W\n"
	"adopt --workspace W\n"
	"export --workspace W\n"
	"clear --workspace W",
	"keep apart what is written to a directory, and bring it back",
	(const struct opt[]){
		{ 's', "session", "ID", "the session's name",
		  .str = &session_id },
		{ 'w', "workspace", "W", "the workspace's directory",
		  .str = &workspace },
		{ 0, "snapshot", NULL,
		  "copy the directory, and have the copy shown",
		  .flag = &snapshot },
		{ 0, "tree", "TREE", "the tree that the question named",
		  .str = &to_tree },
		{ 0, "apply", "WAY", "files or park", .str = &way_word },
		{ 0, "frozen-fd", "FD",
		  "take the policies that chock-policy-eval --freeze printed",
		  .fd = &frozen_fd },
		{ 'r', "rule", "RULE", "a rule that comes before all policies",
		  .list = &rules_said },
		{ .name = NULL },
	},
};

static void copy_first(const struct overlay *overlay)
{
	autonames struct names left = { 0 };
	struct why why = { 0 }, lost = { 0 };
	size_t i;

	if (overlay_snapshot(overlay, &left, &why) < 0) {
		(void)file_remove_tree(AT_FDCWD, overlay->dir, &lost);
		die_why(&why);
	}
	for (i = 0; i < left.count; i++)
		warn("not copied: %s", left.items[i]);
}

static void create(const char *dir)
{
	autooverlay struct overlay overlay = { 0 };
	autobuf struct buf record = { 0 };
	struct why why = { 0 };

	if (!space_is_id(session_id))
		die(EXIT_MISUSE, "'%s' cannot name a session", session_id);
	if (overlay_start(&overlay, dir, session_id, workspace, &why) < 0)
		die_why(&why);
	if (snapshot)
		copy_first(&overlay);
	json_open(&record);
	json_str(&record, "session", buf_span(&overlay.id));
	json_str(&record, "project", buf_span(&overlay.project));
	json_str(&record, "workspace", span_of(overlay.dir));
	json_str(&record, "layers", span_of(overlay.layers));
	print_record(&record);
}

bool overlay_hold(struct overlay *overlay, struct cow *cow, const char *path,
		  bool go_on)
{
	struct why why = { 0 };
	int r = overlay_open(overlay, path, &why);

	if (!r)
		r = deferred_take(cow, buf_str(&overlay->project),
				  &overlay->origin, &why);
	if (r < 0)
		die_why(&why);
	if (r > 0 && !overlay->landing)
		die(EXIT_SYSTEM,
		    "cannot use '%s': it waits for the work of an earlier run "
		    "('chock-spawn --recover')",
		    buf_str(&overlay->project));
	if (r > 0 && !go_on)
		die(EXIT_SYSTEM,
		    "cannot use '%s': an apply was cut off, and another apply "
		    "goes on with it",
		    path);
	return r > 0;
}

/* An apply that was cut off needs no other answer, and has to be ended. */
static void print_begun(void)
{
	autobuf struct buf record = { 0 };

	json_open(&record);
	json_bool(&record, "begun", true);
	print_record(&record);
}

/* The files as they are named, else as the policies say, which have words for
 * the ways of git as well: without git these all are the same. */
static bool is_to_be_parked(const struct rules *rules,
			    const struct applying *said)
{
	if (!way_word)
		return rules_way(rules, said) == COURSE_PARK;
	if (strcmp(way_word, "files") != 0 && strcmp(way_word, "park") != 0)
		die(EXIT_MISUSE,
		    "no way to apply files is called '%s'; there are files and "
		    "park",
		    way_word);
	return !strcmp(way_word, "park");
}

/* Those that are there and those that come, and of one place perhaps both. */
static void find_links(struct reach *reach, const struct changeset *changeset,
		       const struct overlay *overlay, const struct cow *cow)
{
	const char *project = buf_str(&overlay->project);
	struct why why = { 0 };
	size_t i;
	int r = reach_find_git(reach, project, &why);

	if (r < 0)
		die_why(&why);
	r = reach_find_dir(reach, cow->dir_fd);
	if (r < 0)
		die(EXIT_SYSTEM, "cannot look for links in '%s': %s", project,
		    strerror(-r));
	for (i = 0; i < changeset->count; i++)
		if (changeset->files[i].link)
			reach_add(reach, changeset->files[i].path,
				  span_of(changeset->files[i].link));
	reach_settle(reach, project);
}

/* What policies say of it: what has to be asked before, and the way. */
static void ask_policies(struct buf *records, struct changeset *changeset,
			 const struct overlay *overlay, const struct cow *cow)
{
	const struct applying said = { .way = COURSE_WAYS,
				       .frozen_fd = frozen_fd,
				       .rules = rules_said };
	autoeffect struct effect effect = { 0 };
	autorules struct rules rules = { .root = NULL };
	autoreach struct reach reach = { .links = NULL };

	rules_open(&rules, &said, buf_str(&overlay->project));
	if (!changeset->obstacle.len && is_to_be_parked(&rules, &said))
		buf_adds(&changeset->obstacle,
			 "it is to be parked, and stays where it is");
	if (changeset->obstacle.len)
		return;
	changeset_effect(&effect, changeset);
	find_links(&reach, changeset, overlay, cow);
	rules_mark(&effect, &rules, &reach);
	questions_print(records, &effect,
			&(struct questions_of){ buf_span(&overlay->id),
						overlay->dir,
						ELSEWHERE_PLAIN });
}

static void question(const char *dir)
{
	autooverlay struct overlay overlay = { 0 };
	autocow struct cow cow = COW_CLOSED;
	autochangeset struct changeset changeset = { 0 };
	autobuf struct buf record = { 0 };
	struct why why = { 0 };

	(void)dir;
	report_last_words(print_error);
	if (overlay_hold(&overlay, &cow, workspace, true)) {
		print_begun();
		return;
	}
	if (changeset_find(&changeset, &overlay, &cow, &why) < 0)
		die_why(&why);
	if (!changeset.count && overlay.landing) {
		print_begun();
		return;
	}
	/* What is asked about, and may be kept, outlasts a crash now. */
	if ((changeset.count || changeset.obstacle.len) &&
	    overlay_sync(&overlay, &why) < 0)
		die_why(&why);
	if (changeset.count)
		ask_policies(&record, &changeset, &overlay, &cow);
	changeset_print(&record, &changeset, &overlay);
	buf_addc(&record, '\n');
	print(&record);
	if (!changeset.count || changeset.obstacle.len)
		exit(EXIT_DENY);
}

static void apply(const char *dir)
{
	(void)dir;
	overlay_apply(workspace, to_tree);
}

/* On a terminal no name moves the cursor; elsewhere a NUL could not be told. */
static void diff(const char *dir)
{
	autooverlay struct overlay overlay = { 0 };
	autocow struct cow cow = COW_CLOSED;
	autochangeset struct changeset changeset = { 0 };
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	size_t i;

	(void)dir;
	(void)overlay_hold(&overlay, &cow, workspace, false);
	if (changeset_find(&changeset, &overlay, &cow, &why) < 0)
		die_why(&why);
	for (i = 0; i < changeset.count; i++) {
		changeset_line(&text, &changeset.files[i]);
		buf_addc(&text, '\n');
	}
	/* Who reads may take their time, and an answer may come meanwhile. */
	cow_close(&cow);
	print(&text);
	for (i = 0; i < changeset.left.count; i++)
		warn("left out: %s", changeset.left.items[i]);
	if (changeset.obstacle.len)
		warn("cannot be applied: %s", buf_str(&changeset.obstacle));
}

static void adopt(const char *dir)
{
	(void)dir;
	overlay_adopt(workspace);
}

static void export(const char *dir)
{
	(void)dir;
	overlay_export(workspace);
}

static void clear(const char *dir)
{
	autooverlay struct overlay overlay = { 0 };
	struct space space = { 0 };
	autobuf struct buf record = { 0 };
	autoprogress struct progress progress = { 0 };
	struct why why = { 0 };

	(void)dir;
	progress_begin(&progress, "removing the workspace");
	if (overlay_open(&overlay, workspace, &why) < 0)
		die_why(&why);
	space.dir = overlay.dir;
	if (space_remove(&space, &why) < 0)
		die_why(&why);
	json_open(&record);
	json_str(&record, "session", buf_span(&overlay.id));
	json_str(&record, "cleared", span_of(overlay.dir));
	print_record(&record);
}

/* What each verb must have, what it may have, and whether a DIR follows. */
static const struct opt_verb verbs[] = {
	{ "create", create, { "session", "workspace" }, { "snapshot" }, true },
	{ "question",
	  question,
	  { "workspace" },
	  { "apply", "frozen-fd", "rule" },
	  false },
	{ "apply", apply, { "workspace", "tree" }, { NULL }, false },
	{ "diff", diff, { "workspace" }, { NULL }, false },
	{ "adopt", adopt, { "workspace" }, { NULL }, false },
	{ "export", export, { "workspace" }, { NULL }, false },
	{ "clear", clear, { "workspace" }, { NULL }, false },
	{ .name = NULL },
};

int main(int argc, char **argv)
{
	const char *dir;
	const struct opt_verb *verb =
		opt_read_verb(verbs, &options, argc, argv, &dir);

	progress_open(STDERR_FILENO, options.program);
	node_make_room();
	verb->run(dir);
	return EXIT_ALLOW;
}
