/* SPDX-License-Identifier: ISC */
/*
 * chock-overlay - the part that brings out what was not applied
 *
 * What is of a repository stays in the layer: git and its like run programs for
 * whoever looks into one, wherever it is.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/tar.h"
#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-bring.h"
#include "chock-overlay.h"
#include "cow/copy.h"
#include "cow/layerdiff.h"
#include "cow/node.h"
#include "record/json.h"
#include "workspace/gitdir.h"

struct bringing {
	int upper_fd;          /* borrowed; the layer */
	const struct cow *cow; /* borrowed; what it is of */
	struct bring *bring;   /* borrowed; of adopt */
	struct tar *tar;       /* borrowed; of export */
	struct buf deleted;    /* lines */
	struct buf kept_in;    /* the last path that was told to stay */
	struct why why;        /* of what a line could not be brought out for */
	size_t count;
};

/* The layer, with all that the session left; leaves where there is none. */
static int open_layer(const struct overlay *overlay)
{
	struct why why = { 0 };
	int upper_fd = overlay_upper(overlay, &why);

	if (upper_fd == -ENOENT)
		die(EXIT_MISUSE, "the session wrote nothing");
	if (upper_fd < 0)
		die_why(&why);
	return upper_fd;
}

static bool stays(void *context, const char *path)
{
	const struct bringing *b = context;
	const struct gitdir_tree tree = { .has = gitdir_in_layers,
					  .upper_fd = b->upper_fd,
					  .lower_fd = b->cow->dir_fd };

	return gitdir_of_others(path) || gitdir_has(&tree, path);
}

/* Says so, but once of all that is in one directory. */
static bool says_stays(struct bringing *b, const char *path)
{
	if (!stays(b, path))
		return false;
	if (b->kept_in.len &&
	    !strncmp(path, buf_str(&b->kept_in), b->kept_in.len))
		return true;
	warn("'%.*s' is of a repository, and is left out", REPORT_NAME_MAX,
	     path);
	buf_reset(&b->kept_in);
	buf_addf(&b->kept_in, "%s/", path);
	return true;
}

static int take_deleted(struct bringing *b, const struct list_line *line)
{
	b->count++;
	if (line->letter != 'D')
		return 0;
	list_path(&b->deleted, line->path);
	buf_addc(&b->deleted, '\n');
	return b->deleted.full ? -EFBIG : 0;
}

/* ---- adopt -------------------------------------------------------------- */

static int adopt_line(void *context, const struct list_line *line)
{
	return line->fd >= 0 && says_stays(context, line->path)
		       ? 0
		       : take_deleted(context, line);
}

static int adopt_change(void *context, const struct layerdiff_change *change,
			struct why *why)
{
	struct bringing *b = context;
	const struct copy copy = {
		.own = true, .path = change->path, .skips = stays, .context = b
	};
	bool only_mode = change->kind == LAYERDIFF_MODE;
	int r = 0;

	if (!change->has_new || stays(b, change->path))
		return 0;
	autoclose int fd = bring_above(b->bring, change->path, only_mode);

	if (fd < 0)
		r = fd;
	else if (!only_mode)
		r = copy_tree(&copy, change->upper_fd, change->name, fd,
			      change->name);
	return r < 0 ? why_sys(why, -r, "cannot adopt '%s'", change->path) : 0;
}

void overlay_adopt(const char *path)
{
	autooverlay struct overlay overlay = { 0 };
	autocow struct cow cow = COW_CLOSED;
	autobring struct bring bring = BRING_CLOSED;
	struct why why = { 0 };

	(void)overlay_hold(&overlay, &cow, path, false);
	autoclose int upper_fd = open_layer(&overlay);
	struct bringing b = { upper_fd, &cow, .bring = &bring };
	const struct deferred_tell tell = { .line = adopt_line,
					    .change = adopt_change,
					    .left_out = bring_left_out,
					    .context = &b };

	if (bring_begin(&bring, cow.dir_fd, buf_str(&overlay.id), &why) < 0)
		die_why(&why);
	(void)deferred_list(&cow, upper_fd, &tell, &why);
	bring_end(&bring, &b.deleted, &why);
	buf_drop(&b.deleted);
	buf_drop(&b.kept_in);
	if (why.errnum)
		die_why(&why);
	bring_told(buf_str(&overlay.id), buf_str(&overlay.project), b.count);
}

/* ---- export ------------------------------------------------------------- */

static int export_line(void *context, const struct list_line *line)
{
	struct bringing *b = context;
	int r;

	if (line->fd >= 0 && says_stays(b, line->path))
		return 0;
	r = take_deleted(b, line);
	if (r < 0 || line->fd < 0)
		return r;
	return bring_add(b->tar, line->path, line->fd, line->name, &b->why);
}

void overlay_export(const char *path)
{
	autooverlay struct overlay overlay = { 0 };
	autocow struct cow cow = COW_CLOSED;
	autotar struct tar tar = { NULL };
	struct bringing b = { .cow = &cow, .tar = &tar };
	const struct deferred_tell tell = { .line = export_line,
					    .left_out = bring_left_out,
					    .context = &b };
	struct why why = { 0 };

	(void)overlay_hold(&overlay, &cow, path, false);
	autoclose int upper_fd = open_layer(&overlay);

	b.upper_fd = upper_fd;
	bring_archive(&tar);
	(void)deferred_list(&cow, upper_fd, &tell, &why);
	if (b.why.errnum)
		die_why(&b.why);
	if (!why.errnum &&
	    !tar_bytes(&tar, BRING_DELETED, buf_span(&b.deleted), &why))
		(void)tar_close(&tar, &why);
	buf_drop(&b.deleted);
	buf_drop(&b.kept_in);
	if (why.errnum)
		die_why(&why);
}
