/* SPDX-License-Identifier: ISC */
/*
 * chock-overlay - the workspace of a directory without git, and the way back
 *
 * Nothing is started here, and what a session wrote is opened by descriptors
 * only, without following a link.
 * See chock-overlay(1), chock-protocol(7).
 */

#include "chock-overlay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "cow/node.h"
#include "record/json.h"
#include "workspace/quote.h"
#include "workspace/space.h"
#include "workspace/upshot.h"

static const char *session_id;
static const char *workspace;
static const char *to_tree;

static const struct opt_table options = {
	"chock-overlay",
	"create --session ID --workspace W [DIR]\n"
	"question --workspace W\n"
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
		{ 0, "tree", "TREE", "the tree that the question named",
		  .str = &to_tree },
		{ .name = NULL },
	},
};

void overlay_print(struct buf *record)
{
	json_close(record);
	buf_addc(record, '\n');
	print(record);
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
	json_open(&record);
	json_str(&record, "session", buf_span(&overlay.id));
	json_str(&record, "project", buf_span(&overlay.project));
	json_str(&record, "workspace", span_of(overlay.dir));
	json_str(&record, "layers", span_of(overlay.layers));
	overlay_print(&record);
}

bool overlay_hold(struct overlay *overlay, struct cow *cow, const char *path,
		  bool go_on)
{
	struct why why = { 0 };
	int r = overlay_open(overlay, path, &why);

	if (!r)
		r = later_take(cow, buf_str(&overlay->project),
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
	overlay_print(&record);
}

static void question(const char *dir)
{
	autooverlay struct overlay overlay = { 0 };
	autocow struct cow cow = COW_CLOSED;
	autoupshot struct upshot upshot = { 0 };
	autobuf struct buf record = { 0 };
	struct why why = { 0 };

	(void)dir;
	if (overlay_hold(&overlay, &cow, workspace, true)) {
		print_begun();
		return;
	}
	if (upshot_find(&upshot, &overlay, &cow, &why) < 0)
		die_why(&why);
	if (!upshot.count && overlay.landing) {
		print_begun();
		return;
	}
	upshot_print(&record, &upshot, &overlay);
	buf_addc(&record, '\n');
	print(&record);
	if (!upshot.count || upshot.obstacle.len)
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
	autoupshot struct upshot upshot = { 0 };
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	size_t i;

	(void)dir;
	(void)overlay_hold(&overlay, &cow, workspace, false);
	if (upshot_find(&upshot, &overlay, &cow, &why) < 0)
		die_why(&why);
	for (i = 0; i < upshot.count; i++) {
		buf_addf(&text, "%c ", upshot.files[i].status);
		quote_line(&text, span_of(upshot.files[i].path));
		buf_addc(&text, '\n');
	}
	print(&text);
	for (i = 0; i < upshot.left.count; i++)
		warn("left out: %s", upshot.left.items[i]);
	if (upshot.obstacle.len)
		warn("cannot be applied: %s", buf_str(&upshot.obstacle));
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
	struct why why = { 0 };

	(void)dir;
	if (overlay_open(&overlay, workspace, &why) < 0)
		die_why(&why);
	space.dir = overlay.dir;
	if (space_remove(&space, &why) < 0)
		die_why(&why);
	json_open(&record);
	json_str(&record, "session", buf_span(&overlay.id));
	json_str(&record, "cleared", span_of(overlay.dir));
	overlay_print(&record);
}

static const struct verb {
	const char *name;
	void (*run)(const char *dir);
	const char *const *needs; /* all options that it takes */
	bool dir;
} verbs[] = {
	{ "create", create, (const char *const[]){ "session", NULL }, true },
	{ "question", question, (const char *const[]){ NULL }, false },
	{ "apply", apply, (const char *const[]){ "tree", NULL }, false },
	{ "diff", diff, (const char *const[]){ NULL }, false },
	{ "adopt", adopt, (const char *const[]){ NULL }, false },
	{ "export", export, (const char *const[]){ NULL }, false },
	{ "clear", clear, (const char *const[]){ NULL }, false },
};

static bool takes(const struct verb *verb, const char *name)
{
	const char *const *need = verb->needs;

	while (*need && strcmp(*need, name) != 0)
		need++;
	return *need || !strcmp(name, "workspace");
}

static void check_options(const struct verb *verb)
{
	const struct opt *opt;

	for (opt = options.opts; opt->name; opt++) {
		if (takes(verb, opt->name) && !*opt->str)
			die(EXIT_MISUSE, "%s needs --%s %s", verb->name,
			    opt->name, opt->arg);
		if (!takes(verb, opt->name) && *opt->str)
			die(EXIT_MISUSE, "%s takes no --%s", verb->name,
			    opt->name);
	}
}

int main(int argc, char **argv)
{
	const struct verb *verb = NULL;
	size_t i;
	int at = opt_parse(&options, argc, argv);

	for (i = 0; at < argc && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(argv[at], verbs[i].name))
			verb = &verbs[i];
	if (!verb || at != 1)
		opt_misuse(&options);
	argc -= at;
	argv += at;
	at = opt_parse(&options, argc, argv);
	check_options(verb);
	if (argc - at > (verb->dir ? 1 : 0))
		opt_misuse(&options);
	node_make_room();
	verb->run(argc > at ? argv[at] : ".");
	return EXIT_ALLOW;
}
