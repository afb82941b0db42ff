/* SPDX-License-Identifier: ISC */
#include "cow/shelf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/place.h"
#include "base/why.h"
#include "cow/journal.h"
#include "cow/node.h"
#include "cow/stage.h"

#define SHELF_DIR "/cow"

static void name_it(struct shelf *shelf, const struct statx *stx)
{
	shelf->sure = stx->stx_mask & STATX_BTIME;
	if (shelf->sure)
		(void)snprintf(shelf->name, sizeof(shelf->name),
			       "%llu-%lld.%09u",
			       (unsigned long long)stx->stx_ino,
			       (long long)stx->stx_btime.tv_sec,
			       stx->stx_btime.tv_nsec);
	else
		(void)snprintf(shelf->name, sizeof(shelf->name), "%llu-%u:%u",
			       (unsigned long long)stx->stx_ino,
			       stx->stx_dev_major, stx->stx_dev_minor);
}

int shelf_init(struct shelf *shelf, int fd, const char *path, struct why *why)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &stx) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	*shelf = (struct shelf){ .path = realpath(path, NULL) };
	if (!shelf->path)
		return why_sys(why, errno, "cannot find '%s'", path);
	name_it(shelf, &stx);
	return 0;
}

static int open_dir(const char *path, struct why *why)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? why_sys(why, errno, "cannot open '%s'", path) : fd;
}

/* The directory that all of them are in; -ENOENT if there is none. */
static int open_place(bool make, struct why *why)
{
	autobuf struct buf path = { 0 };

	if (place_state(&path, why) < 0)
		return -why->errnum;
	buf_adds(&path, SHELF_DIR);
	if (make && file_mkdirs(buf_str(&path), 0700, why) < 0)
		return place_blame_state(why);
	autoclose int fd = open_dir(buf_str(&path), why);

	return fd < 0 ? place_blame_state(why) : take_fd(&fd);
}

int shelf_there(const struct shelf *shelf, struct why *why)
{
	struct why none = { 0 };
	autoclose int place_fd = open_place(false, &none);
	int r;

	if (place_fd == -ENOENT)
		return 0;
	if (place_fd < 0) {
		*why = none;
		return place_fd;
	}
	r = stage_is_whole(place_fd, shelf->name, &none);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		*why = none;
	return r ? r : stage_remove(place_fd, shelf->name, why);
}

int shelf_check(const struct shelf *shelf, bool moved, struct why *why)
{
	autobuf struct buf path = { 0 };
	autobuf struct buf where = { 0 };
	autoclose int fd = shelf_open(shelf, why);
	int r = fd < 0 ? fd
		       : file_read_path(&path, fd, SHELF_PATH, PATH_MAX, why);

	if (!r)
		r = shelf_where(&where, shelf, why);
	if (r < 0)
		return r;
	if (path.len && path.data[path.len - 1] == '\n')
		path.len--;
	if ((moved && shelf->sure) || span_is(buf_span(&path), shelf->path))
		return 0;
	path.data[path.len] = '\0';
	return why_set(why, EXDEV, "the work in '%s' is of '%s'%s",
		       buf_str(&where), buf_str(&path),
		       shelf->sure
			       ? ", which is now this one: --commit puts it "
				 "in place here"
			       : "");
}

static int write_path(int fd, const char *path)
{
	autofree char *line = alloc_text("%s\n", path);
	autoclose int path_fd = openat(
		fd, SHELF_PATH,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return path_fd < 0 ? -errno : file_write(path_fd, span_of(line));
}

int shelf_make(const struct shelf *shelf, const struct layerdiff *diff,
	       struct why *why)
{
	autojournal struct journal journal = { 0 };
	autoclose int place_fd = open_place(true, why);
	struct why ignored = { 0 };
	int r;

	if (place_fd < 0)
		return place_fd;
	autoclose int fd = stage_make(place_fd, shelf->name, why);

	if (fd < 0)
		return fd;
	r = write_path(fd, shelf->path);
	if (r < 0)
		(void)why_sys(why, -r, "cannot write a path");
	else
		r = stage_fill(&journal, fd, diff, why);
	if (r < 0)
		(void)file_remove_tree(place_fd, shelf->name, &ignored);
	return r;
}

int shelf_open(const struct shelf *shelf, struct why *why)
{
	autoclose int place_fd = open_place(false, why);

	return place_fd < 0 ? place_fd : stage_open(place_fd, shelf->name, why);
}

int shelf_remove(const struct shelf *shelf, struct why *why)
{
	autoclose int place_fd = open_place(false, why);

	return place_fd < 0 ? place_fd
			    : stage_remove(place_fd, shelf->name, why);
}

int shelf_where(struct buf *where, const struct shelf *shelf, struct why *why)
{
	int r = place_state(where, why);

	if (r < 0)
		return r;
	buf_adds(where, SHELF_DIR "/");
	buf_adds(where, shelf->name);
	return 0;
}

void shelf_drop(struct shelf *shelf)
{
	free(shelf->path);
	*shelf = (struct shelf){ 0 };
}
