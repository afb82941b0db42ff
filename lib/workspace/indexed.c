/* SPDX-License-Identifier: ISC */
#include "workspace/indexed.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/why.h"

/* gitformat-index(5); all numbers have their highest byte first. */
#define HEAD_LEN 12
#define ID_SHA1 20
#define ID_SHA256 32
#define STAGE_MASK 0x3000U
#define EXTENDED 0x4000U
#define SKIP_WORKTREE 0x4000U /* of the flags that an extended one has more */
#define ALIGN 8
#define TYPE_MASK 0170000U
#define TYPE_MODULE 0160000U

struct stat_data {
	uint32_t ctime, ctime_ns, mtime, mtime_ns;
	uint32_t dev, ino, mode, uid, gid, size;
};

struct entry {
	struct stat_data data;
	const char *path; /* NUL behind it */
	bool absent;      /* it may be */
};

/* A directory on the way to the entry that is looked at. */
struct level {
	DIR *dir;       /* owned */
	size_t path;    /* how much of an entry's path is its own */
	size_t names;   /* in it */
	size_t indexed; /* of these, in the index as well */
};

struct walk {
	struct level *levels; /* owned; the first is the top */
	size_t count;
	char last[PATH_MAX]; /* path of the innermost; "dir/" or "" */
};

/* ---- the index ---------------------------------------------------------- */

static uint16_t number16(const char *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return be16toh(value);
}

static void read_data(struct stat_data *data, const char *at)
{
	uint32_t fields[sizeof(*data) / sizeof(uint32_t)];
	size_t i;

	memcpy(fields, at, sizeof(fields));
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		fields[i] = be32toh(fields[i]);
	memcpy(data, fields, sizeof(fields));
}

/* Takes one entry off @rest; 1, 0 if it is none. */
static int take_entry(struct entry *entry, struct span *rest, size_t id_len)
{
	const size_t fixed = sizeof(entry->data) + id_len + sizeof(uint16_t);
	const char *end;
	size_t head = fixed;
	uint16_t flags;

	if (rest->len < fixed + sizeof(uint16_t))
		return 0;
	read_data(&entry->data, rest->data);
	flags = number16(rest->data + fixed - sizeof(flags));
	entry->absent = false;
	if (flags & EXTENDED) {
		entry->absent = number16(rest->data + fixed) & SKIP_WORKTREE;
		head += sizeof(flags);
	}
	entry->path = rest->data + head;
	end = memchr(entry->path, '\0', rest->len - head);
	if (!end || end == entry->path || (flags & STAGE_MASK) ||
	    end - entry->path >= PATH_MAX)
		return 0;
	/* One to eight NULs, so that the next one is aligned. */
	head += (size_t)(end - entry->path);
	*rest = span_from(*rest, (head + ALIGN) / ALIGN * ALIGN);
	return 1;
}

/* ---- the directories ---------------------------------------------------- */

static void leave(struct walk *walk)
{
	(void)closedir(walk->levels[--walk->count].dir);
}

static int count_names(struct level *level)
{
	const struct dirent *entry;

	do {
		errno = 0;
		entry = readdir(level->dir);
		level->names += entry && strcmp(entry->d_name, ".") != 0 &&
				strcmp(entry->d_name, "..") != 0;
	} while (entry);
	return errno ? -errno : 1;
}

/* 1, 0 if there is no such directory, or -errno. */
static int enter(struct walk *walk, int above_fd, const char *name, size_t path)
{
	autoclose int fd =
		openat(above_fd, name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct level level = { .path = path };

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : 0;
	level.dir = fdopendir(fd);
	if (!level.dir)
		return -errno;
	(void)take_fd(&fd);
	walk->levels =
		alloc_array(walk->levels, walk->count, sizeof(*walk->levels));
	walk->levels[walk->count++] = level;
	return count_names(&walk->levels[walk->count - 1]);
}

/* Whether all that is in the innermost one is in the index. */
static bool is_complete(const struct walk *walk)
{
	const struct level *level = &walk->levels[walk->count - 1];

	return level->names == level->indexed;
}

/* Leaves what @path is not in; what is left was seen whole. */
static bool go_up(struct walk *walk, const char *path)
{
	while (walk->count > 1 &&
	       strncmp(path, walk->last, walk->levels[walk->count - 1].path) !=
		       0) {
		if (!is_complete(walk))
			return false;
		leave(walk);
	}
	walk->last[walk->levels[walk->count - 1].path] = '\0';
	return true;
}

/* Enters what @path is in; returns 1 with its last part, 0 or -errno. */
static int go_down(struct walk *walk, const char *path, const char **name)
{
	const struct level *level = &walk->levels[walk->count - 1];
	const char *slash;
	int r;

	*name = path + level->path;
	while ((slash = strchr(*name, '/'))) {
		const size_t above = (size_t)(*name - path);
		const size_t len = (size_t)(slash + 1 - path);

		memcpy(walk->last + above, *name, len - above);
		walk->last[len - 1] = '\0';
		walk->levels[walk->count - 1].indexed++;
		r = enter(walk, dirfd(walk->levels[walk->count - 1].dir),
			  walk->last + above, len);
		if (r <= 0)
			return r;
		walk->last[len - 1] = '/';
		walk->last[len] = '\0';
		*name = slash + 1;
	}
	return 1;
}

/* ---- the files ---------------------------------------------------------- */

/* A git that keeps no nanoseconds has zeros there. */
static bool is_time(uint32_t s, uint32_t ns, const struct timespec *is)
{
	return s == (uint32_t)is->tv_sec &&
	       (!ns || ns == (uint32_t)is->tv_nsec);
}

static bool is_same(const struct stat_data *d, const struct stat *st)
{
	return !((d->mode ^ st->st_mode) & TYPE_MASK) &&
	       is_time(d->ctime, d->ctime_ns, &st->st_ctim) &&
	       is_time(d->mtime, d->mtime_ns, &st->st_mtim) &&
	       d->ino == (uint32_t)st->st_ino && d->uid == st->st_uid &&
	       d->gid == st->st_gid && d->size == (uint32_t)st->st_size;
}

/* A submodule, in which nothing is. */
static int look_module(struct walk *walk, int dir_fd, const char *name)
{
	int r = enter(walk, dir_fd, name, 0);
	bool empty;

	if (r <= 0)
		return r;
	empty = !walk->levels[walk->count - 1].names;
	leave(walk);
	return empty;
}

/* 1, 0 if it differs, or -errno. */
static int look(struct walk *walk, const struct entry *entry)
{
	const char *name;
	struct stat st;
	int dir_fd;
	int r;

	/* Of what is left out not even the directories need be there. */
	if (entry->absent)
		return -ENOTSUP;
	if (!go_up(walk, entry->path))
		return 0;
	r = go_down(walk, entry->path, &name);
	if (r <= 0)
		return r;
	dir_fd = dirfd(walk->levels[walk->count - 1].dir);
	walk->levels[walk->count - 1].indexed++;
	if ((entry->data.mode & TYPE_MASK) == TYPE_MODULE)
		return look_module(walk, dir_fd, name);
	progress_step();
	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       is_same(&entry->data, &st);
}

static int look_at_all(struct walk *walk, struct span rest, uint32_t count,
		       size_t id_len)
{
	struct entry entry;
	int r = 1;

	for (; r > 0 && count; count--) {
		r = take_entry(&entry, &rest, id_len);
		if (r > 0)
			r = look(walk, &entry);
	}
	if (r > 0)
		r = go_up(walk, "") && is_complete(walk);
	return r;
}

int indexed_is(const char *files, const char *index, bool sha256)
{
	autobuf struct buf bytes = { 0 };
	struct walk walk = { .levels = NULL };
	struct why why = { 0 };
	uint32_t head[3];
	int r = file_read_path(&bytes, AT_FDCWD, index, BUF_MAX, &why);

	if (r < 0)
		return r == -EFBIG ? -ENOTSUP : 0;
	if (bytes.len < HEAD_LEN)
		return 0;
	memcpy(head, bytes.data, sizeof(head));
	if (memcmp(head, "DIRC", 4) != 0)
		return 0;
	if (be32toh(head[1]) != 2 && be32toh(head[1]) != 3)
		return -ENOTSUP;
	r = enter(&walk, AT_FDCWD, files, 0);
	if (r > 0)
		r = look_at_all(&walk, span_from(buf_span(&bytes), HEAD_LEN),
				be32toh(head[2]), sha256 ? ID_SHA256 : ID_SHA1);
	while (walk.count)
		leave(&walk);
	free(walk.levels);
	return r;
}
