/* SPDX-License-Identifier: ISC */
/*
 * chock-overlay - the part that brings out what was not applied
 *
 *	files/PATH  what is new or changed, as the session left it
 *	deleted     the paths of what is gone, a line each
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
#include "chock-overlay.h"
#include "cow/copy.h"
#include "cow/node.h"
#include "cow/walk.h"
#include "record/json.h"
#include "workspace/gitdir.h"

#define ADOPTED ".chock-adopted"
#define FILES "files"
#define DELETED "deleted"

struct bringing {
	int upper_fd;          /* borrowed; the layer */
	const struct cow *cow; /* borrowed; what it is of */
	int files_fd;          /* borrowed; of adopt */
	struct tar *tar;       /* borrowed; of export */
	struct buf deleted;    /* lines */
	struct buf kept_in;    /* the last path that was told to stay */
	struct why why;        /* of what a line could not be brought out for */
	size_t count;
};

static void left_out(void *context, const char *path, const char *what)
{
	(void)context;
	warn("'%.400s' is a %s, and is left out", path, what);
}

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
	warn("'%.400s' is of a repository, and is left out", path);
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

/* The directory @name, made if it is not there; its descriptor or -errno. */
static int step_into(int dir_fd, const char *name, mode_t mode)
{
	int fd;

	if (mkdirat(dir_fd, name, mode) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(dir_fd, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* All directories of @path but its last part, or that too with @whole. */
static int make_dirs(int files_fd, const char *path, bool whole)
{
	autofree char *parts = alloc_copy(path, strlen(path));
	autoclose int fd = openat(files_fd, ".", O_RDONLY | O_CLOEXEC);
	char *part = parts;
	char *slash;
	int next;

	if (fd < 0)
		return -errno;
	while (fd >= 0 && ((slash = strchr(part, '/')) || (whole && *part))) {
		if (slash)
			*slash = '\0';
		next = step_into(fd, part, 0777);
		auto_close(&fd);
		fd = next;
		part = slash ? slash + 1 : part + strlen(part);
	}
	return fd < 0 ? fd : take_fd(&fd);
}

static int adopt_line(void *context, const struct list_line *line)
{
	return line->fd >= 0 && says_stays(context, line->path)
		       ? 0
		       : take_deleted(context, line);
}

static int adopt_change(void *context, const struct change *change,
			struct why *why)
{
	struct bringing *b = context;
	const struct copy copy = { .own = true,
				   .path = change->path,
				   .left_out = left_out,
				   .skips = stays,
				   .context = b };
	bool only_mode = change->kind == CHANGE_MODE;
	int r = 0;

	if (!change->has_new || stays(b, change->path))
		return 0;
	autoclose int fd = make_dirs(b->files_fd, change->path, only_mode);

	if (fd < 0)
		r = fd;
	else if (!only_mode)
		r = copy_tree(&copy, change->upper_fd, change->name, fd,
			      change->name);
	return r < 0 ? why_sys(why, -r, "cannot adopt '%s'", change->path) : 0;
}

static int write_deleted(int to_fd, const struct buf *lines, struct why *why)
{
	autoclose int fd = openat(
		to_fd, DELETED,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	int r = fd < 0 ? -errno : file_write(fd, buf_span(lines));

	return r < 0 ? why_sys(why, -r, "cannot write '%s'", DELETED) : 0;
}

/* Into @to_fd, which is new and empty. */
static void bring(struct bringing *b, int to_fd, struct why *why)
{
	const struct later_tell tell = { .line = adopt_line,
					 .change = adopt_change,
					 .left_out = left_out,
					 .context = b };
	autoclose int files_fd = step_into(to_fd, FILES, 0777);

	b->files_fd = files_fd;
	if (files_fd < 0)
		(void)why_sys(why, -files_fd, "cannot make '%s'", FILES);
	else
		(void)later_list(b->cow, b->upper_fd, &tell, why);
	if (!why->errnum)
		(void)write_deleted(to_fd, &b->deleted, why);
	buf_drop(&b->deleted);
	buf_drop(&b->kept_in);
}

static int make_place(int in_fd, const char *id, struct why *why)
{
	int fd;

	if (mkdirat(in_fd, id, 0777) < 0)
		return why_sys(why, errno, "cannot make '%s/%s'", ADOPTED, id);
	fd = openat(in_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	(void)why_sys(why, errno, "cannot open '%s/%s'", ADOPTED, id);
	(void)unlinkat(in_fd, id, AT_REMOVEDIR);
	return -why->errnum;
}

/* All of it, or nothing of it is left in @in_fd. */
static int adopt_into(int in_fd, const char *id, struct bringing *b,
		      struct why *why)
{
	autoclose int to_fd = make_place(in_fd, id, why);
	struct why lost = { 0 };

	if (to_fd < 0)
		return to_fd;
	bring(b, to_fd, why);
	if (why->errnum)
		(void)file_remove_tree(in_fd, id, &lost);
	return -why->errnum;
}

static void print_adopted(const struct overlay *overlay, size_t count)
{
	autobuf struct buf record = { 0 };
	autobuf struct buf where = { 0 };

	buf_addf(&where, "%s/%s/%s", buf_str(&overlay->project), ADOPTED,
		 buf_str(&overlay->id));
	json_open(&record);
	json_str(&record, "session", buf_span(&overlay->id));
	json_str(&record, "adopted", buf_span(&where));
	json_num(&record, "file_count", (int64_t)count);
	overlay_print(&record);
}

void overlay_adopt(const char *path)
{
	autooverlay struct overlay overlay = { 0 };
	autocow struct cow cow = COW_CLOSED;
	struct why why = { 0 };

	(void)overlay_hold(&overlay, &cow, path, false);
	autoclose int upper_fd = open_layer(&overlay);
	struct bringing b = { upper_fd, &cow, .files_fd = -1 };
	autoclose int in_fd = step_into(cow.dir_fd, ADOPTED, 0777);

	if (in_fd < 0) {
		(void)why_sys(&why, -in_fd, "cannot use '%s/%s'",
			      buf_str(&overlay.project), ADOPTED);
		die_why(&why);
	}
	if (adopt_into(in_fd, buf_str(&overlay.id), &b, &why) < 0) {
		/* Only if it is ours alone, for then nothing is in it. */
		(void)unlinkat(cow.dir_fd, ADOPTED, AT_REMOVEDIR);
		die_why(&why);
	}
	print_adopted(&overlay, b.count);
}

/* ---- export ------------------------------------------------------------- */

static int add_node(struct tar *tar, const char *path,
		    const struct list_line *line, struct why *why)
{
	autonode struct node node = NODE_CLOSED;
	char text[PATH_MAX];
	struct stat st;
	ssize_t len;
	int r = node_stat(line->fd, line->name, &st);

	if (r <= 0)
		return why_sys(why, r ? -r : ENOENT, "cannot look at '%s'",
			       line->path);
	if (S_ISDIR(st.st_mode))
		return tar_directory(tar, path, &st, why);
	if (S_ISREG(st.st_mode)) {
		r = node_open(&node, line->fd, line->name, true);
		return r < 0 ? why_sys(why, -r, "cannot open '%s'", line->path)
			     : tar_file(tar, path, &st, node.fd, why);
	}
	len = readlinkat(line->fd, line->name, text, sizeof(text) - 1);
	if (len < 0)
		return why_sys(why, errno, "cannot read '%s'", line->path);
	text[len] = '\0';
	return tar_link(tar, path, &st, text, why);
}

static int export_line(void *context, const struct list_line *line)
{
	autofree char *path = alloc_text("%s/%s", FILES, line->path);
	struct bringing *b = context;
	int r;

	if (line->fd >= 0 && says_stays(b, line->path))
		return 0;
	r = take_deleted(b, line);
	if (r < 0 || line->fd < 0)
		return r;
	return add_node(b->tar, path, line, &b->why);
}

void overlay_export(const char *path)
{
	autooverlay struct overlay overlay = { 0 };
	autocow struct cow cow = COW_CLOSED;
	autotar struct tar tar = { NULL };
	struct bringing b = { .cow = &cow, .files_fd = -1, .tar = &tar };
	const struct later_tell tell = { .line = export_line,
					 .left_out = left_out,
					 .context = &b };
	struct why why = { 0 };

	(void)overlay_hold(&overlay, &cow, path, false);
	autoclose int upper_fd = open_layer(&overlay);

	b.upper_fd = upper_fd;
	if (isatty(STDOUT_FILENO))
		die(EXIT_MISUSE, "an archive is not for a terminal: send it to "
				 "a file");
	if (tar_open(&tar, STDOUT_FILENO, &why) < 0)
		die_why(&why);
	(void)later_list(&cow, upper_fd, &tell, &why);
	if (b.why.errnum)
		die_why(&b.why);
	if (!why.errnum &&
	    !tar_bytes(&tar, DELETED, buf_span(&b.deleted), &why))
		(void)tar_close(&tar, &why);
	buf_drop(&b.deleted);
	buf_drop(&b.kept_in);
	if (why.errnum)
		die_why(&why);
}
