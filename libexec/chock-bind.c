/* SPDX-License-Identifier: ISC */
/*
 * chock-bind - carry what git ignores into a session's copy, and back
 *
 * Nothing is started here but git, to read what it would run of the project,
 * and nothing of that is written: what comes back is gathered into a workspace
 * of chock-overlay's, which asks and lands.
 * See chock-bind(1), chock-protocol(7).
 */

#include "chock-bind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/line.h"
#include "base/opt.h"
#include "base/progress.h"
#include "base/report.h"
#include "base/why.h"
#include "cow/node.h"
#include "record/json.h"
#include "record/record.h"
#include "workspace/hidden.h"
#include "workspace/overlay.h"
#include "workspace/own.h"
#include "workspace/quote.h"
#include "workspace/written.h"

#define BINDS "binds" /* in a workspace: that of what comes back */

static const char *workspace;
static int frozen_fd = -1;
static struct opt_list rules_said;

static const struct opt_table options = {
	"chock-bind",
	"list --workspace W [--frozen-fd FD] [--rule RULE]...\n"
	"make --workspace W\n"
	"gather --workspace W\n"
	"end --workspace W",
	"carry what git ignores into a session's copy, and back",
	(const struct opt[]){
		{ 'w', "workspace", "W", "the workspace's directory",
		  .str = &workspace },
		{ 0, "frozen-fd", "FD",
		  "take the policies that chock-policy-eval --freeze printed",
		  .fd = &frozen_fd },
		{ 'r', "rule", "RULE", "a rule that comes before all policies",
		  .list = &rules_said },
		{ .name = NULL },
	},
};

void bind_open(struct bind_place *place, const char *path)
{
	struct why why = { 0 };

	*place = (struct bind_place){ .root_fd = -1,
				      .copy_fd = -1,
				      .below_fd = -1 };
	if (space_open(&place->space, path, &why) < 0)
		die_why(&why);
	hides_read(&place->hides, &place->space);
	place->root_fd = open_dir(buf_str(&place->space.project));
	place->copy_fd = open_dir(place->space.copy);
	if (place->space.below.len)
		place->below_fd = open_dir(buf_str(&place->space.below));
}

bool bind_is_hidden(void *space, const char *path)
{
	const struct space *in = space;

	return own_is(&in->own, path) || (in->hiding && hidden_is(in, path));
}

/* Whether @path is in the directory, or covered there. */
static bool is_in(int dir_fd, const char *path)
{
	const char *name;
	struct stat st;
	autoclose int fd = node_parent(dir_fd, path, &name);

	return fd >= 0 && node_stat(fd, name, &st) > 0;
}

bool bind_in_copy(const struct bind_place *place, const char *path)
{
	return is_in(place->copy_fd, path) ||
	       (place->below_fd >= 0 && is_in(place->below_fd, path));
}

void bind_close(struct bind_place *place)
{
	auto_close(&place->root_fd);
	auto_close(&place->copy_fd);
	auto_close(&place->below_fd);
	hides_drop(&place->hides);
	space_drop(&place->space);
}

static void list(const char *dir)
{
	const struct applying said = { .way = COURSE_WAYS,
				       .frozen_fd = frozen_fd,
				       .rules = rules_said };
	struct why why = { 0 };
	int r = overlay_is(workspace, &why);

	(void)dir;
	if (r < 0)
		die_why(&why);
	if (r)
		bind_list_plain(workspace, &said);
	else
		bind_list(workspace, &said);
}

/* ---- make --------------------------------------------------------------- */

struct making {
	struct bind_place place;
	struct buf note;    /* of what comes back */
	struct buf written; /* of what is written through */
	struct buf record;  /* what chock-spawn is to show */
	bool begun;         /* the workspace of what comes back */
};

static void check(int r, const struct why *why)
{
	if (r < 0)
		die_why(why);
}

/* The clock has to be looked at before anything is copied. */
static void begin(struct making *m)
{
	const struct space *space = &m->place.space;
	autofree char *dir = alloc_text("%s/" BINDS, space->dir);
	autooverlay struct overlay overlay = { 0 };
	struct why why = { 0 };

	if (m->begun)
		return;
	check(overlay_start_of(&overlay, buf_str(&space->project),
			       buf_str(&space->id), dir, &why),
	      &why);
	m->begun = true;
}

static void make_copy(struct making *m, const char *path, bool back)
{
	struct bind_place *place = &m->place;
	const struct binds_hidden hidden = { .skips = bind_is_hidden,
					     .context = &place->space };
	struct why why = { 0 };

	if (back)
		begin(m);
	check(binds_copy(place->root_fd, place->copy_fd, path, &hidden, &why),
	      &why);
	if (back)
		check(binds_note(&m->note, place->copy_fd, path, &why), &why);
}

/* It may be another by now than the one that was asked about, and is shown by
 * its path a while from now: chock-spawn is told which it is. */
static void make_mount(struct making *m, const char *path, bool write,
		       const char *identity)
{
	struct bind_place *place = &m->place;
	autofree char *there =
		alloc_text("%s/%s", buf_str(&place->space.project), path);
	autobuf struct buf bind = { 0 };
	struct binds_judged now;
	struct identity asked;
	struct why why = { 0 };

	if (!identity || identity_read(&asked, span_of(identity)) < 0)
		die(EXIT_MISUSE, "a line is no bind that 'list' printed");
	check(binds_judge(&now, place->root_fd, path, &why), &why);
	if (!identity_same(&now.is, &asked))
		die(EXIT_SYSTEM,
		    "cannot bind '%s': it is another file by now than was "
		    "asked about",
		    path);
	if (write && now.st.st_mode & WRITTEN_EXECUTES)
		die(EXIT_SYSTEM, "cannot bind '%s': it can be executed by now",
		    path);
	if (write)
		written_add(&m->written, path, identity);
	if (!bind_in_copy(place, path))
		check(binds_place(place->root_fd, place->copy_fd, path,
				  now.st.st_mode, &why),
		      &why);
	quote_bind(&bind, span_of(there));
	buf_addc(&bind, ':');
	quote_bind(&bind, span_of(there));
	buf_addf(&bind, "%s:is=%s", write ? "" : ":ro", identity);
	json_item(&m->record, buf_span(&bind));
}

/* A line that `list` printed, and that was answered with yes. */
static void make_one(struct making *m, struct span line)
{
	autorecord struct record record = { 0 };
	autobuf struct buf path = { 0 };
	const struct record_value *effect;
	struct why why = { 0 };
	const char *mode;

	check(record_read(&record, line, &why), &why);
	effect = record_get(&record, "effect");
	mode = value_string(value_field(effect, "mode"));
	if (value_text(&path, value_field(effect, "path")) < 0 || !path.len ||
	    !mode)
		die(EXIT_MISUSE, "a line is no bind that 'list' printed");
	if (!strcmp(mode, "read_only") || !strcmp(mode, "write"))
		make_mount(m, buf_str(&path), !strcmp(mode, "write"),
			   value_string(value_field(effect, "identity")));
	else if (!strcmp(mode, "copy") || !strcmp(mode, "temp_copy"))
		make_copy(m, buf_str(&path), !strcmp(mode, "copy"));
	else
		die(EXIT_MISUSE, "no mode of a bind is called '%s'", mode);
}

static void write_note(const struct making *m)
{
	autofree char *dir = alloc_text("%s/" BINDS, m->place.space.dir);
	struct why why = { 0 };

	check(file_put(dir, "note", buf_span(&m->note), &why), &why);
}

static void make(const char *dir)
{
	struct making m = { .begun = false };
	struct lines lines = { .fd = STDIN_FILENO };
	struct span line;
	autoprogress struct progress progress = { 0 };
	struct why why = { 0 };
	int r;

	(void)dir;
	progress_begin(&progress, "copying what is bound");
	bind_open(&m.place, workspace);
	json_open(&m.record);
	json_str(&m.record, "session", buf_span(&m.place.space.id));
	json_open_array(&m.record, "bind");
	while ((r = lines_next(&lines, &line, &why)) > 0)
		make_one(&m, line);
	check(r, &why);
	json_close_array(&m.record);
	if (m.begun)
		write_note(&m);
	check(written_save(m.place.space.dir, buf_span(&m.written), &why),
	      &why);
	print_record(&m.record);
	lines_drop(&lines);
	buf_drop(&m.record);
	buf_drop(&m.note);
	buf_drop(&m.written);
	bind_close(&m.place);
}

/* ---- gather ------------------------------------------------------------- */

static int gather_into(struct bind_place *place, const char *upper)
{
	const struct binds_hidden hidden = { .skips = bind_is_hidden,
					     .context = &place->space };
	autofree char *path = alloc_text("%s/" BINDS "/note", place->space.dir);
	autobuf struct buf note = { 0 };
	struct why why = { 0 };
	int r;

	check(file_remove_tree(AT_FDCWD, upper, &why), &why);
	if (mkdir(upper, 0700) < 0)
		die_errno(EXIT_SYSTEM, "cannot make '%s'", upper);
	autoclose int upper_fd = open_dir(upper);
	struct stat st;

	if (fstat(place->root_fd, &st) < 0 ||
	    fchmod(upper_fd, st.st_mode & NODE_MODE) < 0)
		die_errno(EXIT_SYSTEM, "cannot make '%s'", upper);
	check(file_read_path(&note, AT_FDCWD, path, BUF_MAX, &why), &why);
	const struct binds_sides sides = { .upper_fd = upper_fd,
					   .copy_fd = place->copy_fd,
					   .root_fd = place->root_fd,
					   .hidden = &hidden };

	r = binds_gather(&sides, buf_span(&note), &why);
	check(r, &why);
	return r;
}

static void gather(const char *dir)
{
	struct bind_place place;
	autooverlay struct overlay overlay = { 0 };
	autobuf struct buf record = { 0 };
	autoprogress struct progress progress = { 0 };
	struct why why = { 0 };
	int differ = 0;

	(void)dir;
	progress_begin(&progress, "looking at what was bound");
	bind_open(&place, workspace);
	autofree char *binds = alloc_text("%s/" BINDS, place.space.dir);

	check(overlay_open(&overlay, binds, &why), &why);
	/* What is being landed, or has been, is not gathered again. */
	if (!overlay.landing && !overlay.landed)
		differ = gather_into(&place, overlay.upper);
	json_open(&record);
	json_str(&record, "session", buf_span(&place.space.id));
	json_str(&record, "workspace", span_of(binds));
	json_num(&record, "differ", differ);
	json_bool(&record, "begun", overlay.landing);
	json_bool(&record, "landed", overlay.landed);
	print_record(&record);
	bind_close(&place);
}

static void end(const char *dir)
{
	(void)dir;
	bind_written_end(workspace);
}

static const struct opt_verb verbs[] = {
	{ "list", list, { "workspace" }, { "frozen-fd", "rule" }, false },
	{ "make", make, { "workspace" }, { NULL }, false },
	{ "gather", gather, { "workspace" }, { NULL }, false },
	{ "end", end, { "workspace" }, { NULL }, false },
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
