/* SPDX-License-Identifier: ISC */
#include "cow/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/place.h"
#include "base/why.h"
#include "cow/journal.h"
#include "cow/node.h"
#include "cow/stage.h"

#define KEPT_DIR "/cow"
#define NAME_ROOM 64

static const char *name_of(char name[NAME_ROOM], const struct stat *st)
{
	(void)snprintf(name, NAME_ROOM, "%llx-%llu",
		       (unsigned long long)st->st_dev,
		       (unsigned long long)st->st_ino);
	return name;
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
	buf_adds(&path, KEPT_DIR);
	if (make && file_mkdirs(buf_str(&path), 0700, why) < 0)
		return -why->errnum;
	return open_dir(buf_str(&path), why);
}

int kept_there(const struct stat *st)
{
	struct why ignored = { 0 };
	autoclose int place_fd = open_place(false, &ignored);
	char name[NAME_ROOM];
	struct stat kept;

	if (place_fd < 0)
		return place_fd == -ENOENT ? 0 : place_fd;
	return node_stat(place_fd, name_of(name, st), &kept);
}

int kept_make(const struct stat *st, const struct walk *walk, struct why *why)
{
	autojournal struct journal journal = { 0 };
	autoclose int place_fd = open_place(true, why);
	struct why ignored = { 0 };
	char name[NAME_ROOM];

	if (place_fd < 0)
		return place_fd;
	autoclose int fd = stage_make(place_fd, name_of(name, st), why);

	if (fd < 0)
		return fd;
	if (!stage_fill(&journal, fd, walk, why))
		return 0;
	(void)file_remove_tree(place_fd, name, &ignored);
	return -why->errnum;
}

int kept_open(const struct stat *st, struct why *why)
{
	autoclose int place_fd = open_place(false, why);
	char name[NAME_ROOM];

	if (place_fd < 0)
		return place_fd;
	return stage_open(place_fd, name_of(name, st), why);
}

int kept_remove(const struct stat *st, struct why *why)
{
	autoclose int place_fd = open_place(false, why);
	char name[NAME_ROOM];

	if (place_fd < 0)
		return place_fd;
	return stage_remove(place_fd, name_of(name, st), why);
}
