/* SPDX-License-Identifier: ISC */
#include "workspace/indexed.h"

#include <dirent.h>
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
#include "digest/sha1.h"
#include "digest/sha256.h"
#include "workspace/indexfile.h"

#define TYPE_MASK 0170000U
#define TYPE_MODULE 0160000U
#define OWNER_RUNS 0100U

/* A directory on the way to the entry that is looked at. */
struct level {
	int fd;         /* owned */
	size_t path;    /* how much of an entry's path is its own */
	size_t names;   /* in it */
	size_t indexed; /* of these, in the index as well */
};

/* From the top to the directory of the entry that is looked at. */
struct way {
	struct level *levels; /* owned; the first is the top */
	size_t count;
	bool alone;          /* nothing may be there that is not in the index */
	char last[PATH_MAX]; /* path of the innermost; "dir/" or "" */
};

/* ---- the directories ---------------------------------------------------- */

static void leave(struct way *way)
{
	(void)close(way->levels[--way->count].fd);
}

static int count_names(struct level *level)
{
	autoclose int fd = fcntl(level->fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r;

	if (!dir)
		return -errno;
	(void)take_fd(&fd);
	do {
		errno = 0;
		entry = readdir(dir);
		level->names += entry && strcmp(entry->d_name, ".") != 0 &&
				strcmp(entry->d_name, "..") != 0;
	} while (entry);
	r = errno ? -errno : 1;
	(void)closedir(dir);
	return r;
}

/* 1, 0 if there is no such directory, or -errno. */
static int enter(struct way *way, int above_fd, const char *name, size_t path)
{
	const int fd = openat(above_fd, name,
			      (way->alone ? O_RDONLY : O_PATH) | O_DIRECTORY |
				      O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : 0;
	way->levels =
		alloc_array(way->levels, way->count, sizeof(*way->levels));
	way->levels[way->count++] = (struct level){ .fd = fd, .path = path };
	return way->alone ? count_names(&way->levels[way->count - 1]) : 1;
}

/* Whether all that is in the innermost one is in the index. */
static bool is_complete(const struct way *way)
{
	const struct level *level = &way->levels[way->count - 1];

	return !way->alone || level->names == level->indexed;
}

/* Leaves what @path is not in; what is left was seen whole. */
static bool go_up(struct way *way, const char *path)
{
	while (way->count > 1 &&
	       strncmp(path, way->last, way->levels[way->count - 1].path) !=
		       0) {
		if (!is_complete(way))
			return false;
		leave(way);
	}
	way->last[way->levels[way->count - 1].path] = '\0';
	return true;
}

/* Git writes no such path; one that did would lead out of the directory. */
static bool is_up(const char *name)
{
	return !strncmp(name, "./", 2) || !strncmp(name, "../", 3);
}

/* Enters what @path is in; returns 1 with its last part, 0 or -errno. */
static int go_down(struct way *way, const char *path, const char **name)
{
	const struct level *level = &way->levels[way->count - 1];
	const char *slash;
	int r;

	*name = path + level->path;
	while ((slash = strchr(*name, '/'))) {
		const size_t above = (size_t)(*name - path);
		const size_t len = (size_t)(slash + 1 - path);

		if (is_up(*name))
			return 0;
		memcpy(way->last + above, *name, len - above);
		way->last[len - 1] = '\0';
		way->levels[way->count - 1].indexed++;
		r = enter(way, way->levels[way->count - 1].fd,
			  way->last + above, len);
		if (r <= 0)
			return r;
		way->last[len - 1] = '/';
		way->last[len] = '\0';
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

static bool is_same(const struct indexfile_stat *d, const struct stat *st)
{
	return !((d->mode ^ st->st_mode) & TYPE_MASK) &&
	       is_time(d->ctime, d->ctime_ns, &st->st_ctim) &&
	       is_time(d->mtime, d->mtime_ns, &st->st_mtim) &&
	       d->ino == (uint32_t)st->st_ino && d->uid == st->st_uid &&
	       d->gid == st->st_gid && d->size == (uint32_t)st->st_size;
}

/* A submodule, in which nothing is. */
static int look_module(struct way *way, int dir_fd, const char *name)
{
	int r = enter(way, dir_fd, name, 0);
	bool empty;

	if (r <= 0)
		return r;
	empty = !way->levels[way->count - 1].names;
	leave(way);
	return empty;
}

/* Puts the directory of @entry into @dir_fd, and its name there into @name;
 * 1, 0 if there is none, or -errno. */
static int go_to(struct way *way, const struct indexfile_entry *entry,
		 int *dir_fd, const char **name)
{
	int r = go_up(way, entry->path) ? go_down(way, entry->path, name) : 0;

	if (r > 0) {
		*dir_fd = way->levels[way->count - 1].fd;
		way->levels[way->count - 1].indexed++;
		progress_step();
	}
	return r;
}

/* 1, 0 if it differs, or -errno. */
static int look(struct way *way, const struct indexfile_entry *entry)
{
	const char *name;
	struct stat st;
	int dir_fd;
	int r = go_to(way, entry, &dir_fd, &name);

	if (r <= 0)
		return r;
	if ((entry->data.mode & TYPE_MASK) == TYPE_MODULE)
		return look_module(way, dir_fd, name);
	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       is_same(&entry->data, &st);
}

/* ---- a directory of ours ------------------------------------------------ */

static void leave_all(struct way *way)
{
	while (way->count)
		leave(way);
	free(way->levels);
}

int indexed_bytes(const char *files, struct span bytes, bool sha256)
{
	struct indexfile_entry entry;
	struct indexfile file;
	struct way way = { .alone = true };
	int r = indexfile_open(&file, bytes, sha256);

	if (r > 0)
		r = enter(&way, AT_FDCWD, files, 0);
	while (r > 0 && indexfile_next(&file, &entry))
		r = look(&way, &entry);
	if (r > 0)
		r = go_up(&way, "") && is_complete(&way);
	leave_all(&way);
	return r;
}

int indexed_is(const char *files, const char *index, bool sha256)
{
	autobuf struct buf bytes = { 0 };
	struct why why = { 0 };
	int r = file_read_path(&bytes, AT_FDCWD, index, BUF_MAX, &why);

	if (r < 0)
		return r == -EFBIG ? -ENOTSUP : 0;
	return indexed_bytes(files, buf_span(&bytes), sha256);
}

/* ---- a working tree ----------------------------------------------------- */

/* Whether the bytes of a file or link are those of the object. */
static bool has_content(const struct indexfile_entry *entry, int dir_fd,
			const char *name)
{
	autobuf struct buf bytes = { 0 };
	autobuf struct buf blob = { 0 };
	char text[PATH_MAX];
	char digits[SHA256_HEX + 1];
	struct why why = { 0 };
	ssize_t len = 0;
	int r = 0;

	if (indexfile_is_link(entry)) {
		len = readlinkat(dir_fd, name, text, sizeof(text));
		buf_add(&bytes,
			(struct span){ text, len < 0 ? 0 : (size_t)len });
	} else {
		r = file_read_path(&bytes, dir_fd, name, BUF_MAX, &why);
	}
	buf_addf(&blob, "blob %zu", bytes.len);
	buf_addc(&blob, '\0');
	buf_add(&blob, buf_span(&bytes));
	if (r < 0 || len < 0 || blob.full)
		return false;
	if (entry->id.len == SHA1_HEX / 2)
		sha1_hex(digits, buf_span(&blob));
	else
		sha256_hex(digits, buf_span(&blob));
	return indexfile_is_id(entry->id, digits);
}

/*
 * Of a file that is no older than the index the times say nothing, as it could
 * have changed within the tick in which it was indexed.  Seconds are what all
 * file systems keep.
 */
static int look_tracked(struct way *way, const struct indexfile_entry *entry,
			time_t indexed)
{
	const struct indexfile_stat *data = &entry->data;
	const char *name;
	struct stat st;
	int dir_fd;
	int r = go_to(way, entry, &dir_fd, &name);

	if (r <= 0)
		return r;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !is_same(data, &st) ||
	    (S_ISREG(st.st_mode) && ((data->mode ^ st.st_mode) & OWNER_RUNS)))
		return 0;
	return st.st_mtim.tv_sec < indexed || has_content(entry, dir_fd, name);
}

int indexed_tracked(const char *files, const char *index, bool sha256,
		    const char *tree)
{
	autobuf struct buf bytes = { 0 };
	struct indexfile_entry entry;
	struct indexfile file;
	struct way way = { .alone = false };
	struct why why = { 0 };
	struct stat st;
	int r;

	if (lstat(index, &st) < 0 ||
	    file_read_path(&bytes, AT_FDCWD, index, BUF_MAX, &why) < 0)
		return -ENOTSUP;
	r = indexfile_open(&file, buf_span(&bytes), sha256);
	if (r > 0 && !indexfile_is_id(file.tree, tree))
		r = -ENOTSUP;
	if (r > 0)
		r = enter(&way, AT_FDCWD, files, 0);
	while (r > 0 && indexfile_next(&file, &entry))
		r = entry.marked || (entry.data.mode & TYPE_MASK) == TYPE_MODULE
			    ? -ENOTSUP
			    : look_tracked(&way, &entry, st.st_mtim.tv_sec);
	leave_all(&way);
	return r;
}
