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
#include "digest/sha1.h"
#include "digest/sha256.h"

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
#define EXTENSION_LEN 8 /* its four letters, and how long it is */

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

/* From the top to the directory of the entry that is looked at. */
struct way {
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

static uint32_t number32(const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

/* Whether @id is what @digits say in hexadecimal. */
static bool is_id(struct span id, const char *digits)
{
	autobuf struct buf hex = { 0 };
	size_t i;

	for (i = 0; i < id.len; i++)
		buf_addf(&hex, "%02x", (unsigned char)id.data[i]);
	return !strcmp(buf_str(&hex), digits);
}

/* A git with index.skipHash (git-config(1)) writes zeros in its place. */
static bool has_checksum(struct span bytes, size_t id_len)
{
	const struct span before = { bytes.data, bytes.len - id_len };
	const struct span id = span_from(bytes, before.len);
	char digits[SHA256_HEX + 1];
	size_t i = 0;

	while (i < id.len && !id.data[i])
		i++;
	if (i == id.len)
		return true;
	if (id_len == ID_SHA1)
		sha1_hex(digits, before);
	else
		sha256_hex(digits, before);
	return is_id(id, digits);
}

/*
 * What is behind the entries, @rest, without the checksum: what begins with an
 * upper-case letter may be passed over, and nothing else may, such as the
 * "link" of an index of which a part is in another file.
 */
static int pass_extensions(struct span rest)
{
	while (rest.len >= EXTENSION_LEN) {
		const uint32_t len = number32(rest.data + EXTENSION_LEN / 2);

		if (rest.data[0] < 'A' || rest.data[0] > 'Z')
			return -ENOTSUP;
		rest = span_from(rest, EXTENSION_LEN);
		if (len > rest.len)
			return 0;
		rest = span_from(rest, len);
	}
	return !rest.len;
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

/* Takes one entry off @rest; 1, 0 if it is none, or -ENOTSUP. */
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
	if (!end || (flags & STAGE_MASK) || end - entry->path >= PATH_MAX)
		return 0;
	/* A split one leaves out the path where the other file has it. */
	if (end == entry->path)
		return -ENOTSUP;
	/* One to eight NULs, so that the next one is aligned. */
	head += (size_t)(end - entry->path);
	head = (head + ALIGN) / ALIGN * ALIGN;
	if (head > rest->len)
		return 0;
	*rest = span_from(*rest, head);
	return 1;
}

/*
 * Whether @count entries, and what may be behind them, are all of @rest; that
 * comes first, as nothing could be told by some of them.
 */
static int is_read(struct span rest, uint32_t count, size_t id_len)
{
	struct entry entry;
	int r = 1;

	for (; r > 0 && count; count--) {
		r = take_entry(&entry, &rest, id_len);
		/* Not even the directories of what is left out need be. */
		if (r > 0 && entry.absent)
			r = -ENOTSUP;
	}
	return r > 0 ? pass_extensions(rest) : r;
}

/* ---- the directories ---------------------------------------------------- */

static void leave(struct way *way)
{
	(void)closedir(way->levels[--way->count].dir);
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
static int enter(struct way *way, int above_fd, const char *name, size_t path)
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
	way->levels =
		alloc_array(way->levels, way->count, sizeof(*way->levels));
	way->levels[way->count++] = level;
	return count_names(&way->levels[way->count - 1]);
}

/* Whether all that is in the innermost one is in the index. */
static bool is_complete(const struct way *way)
{
	const struct level *level = &way->levels[way->count - 1];

	return level->names == level->indexed;
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
		r = enter(way, dirfd(way->levels[way->count - 1].dir),
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

static bool is_same(const struct stat_data *d, const struct stat *st)
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

/* 1, 0 if it differs, or -errno. */
static int look(struct way *way, const struct entry *entry)
{
	const char *name;
	struct stat st;
	int dir_fd;
	int r;

	if (!go_up(way, entry->path))
		return 0;
	r = go_down(way, entry->path, &name);
	if (r <= 0)
		return r;
	dir_fd = dirfd(way->levels[way->count - 1].dir);
	way->levels[way->count - 1].indexed++;
	if ((entry->data.mode & TYPE_MASK) == TYPE_MODULE)
		return look_module(way, dir_fd, name);
	progress_step();
	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       is_same(&entry->data, &st);
}

static int look_at_all(struct way *way, struct span rest, uint32_t count,
		       size_t id_len)
{
	struct entry entry;
	int r = 1;

	for (; r > 0 && count; count--) {
		r = take_entry(&entry, &rest, id_len);
		if (r > 0)
			r = look(way, &entry);
	}
	if (r > 0)
		r = go_up(way, "") && is_complete(way);
	return r;
}

int indexed_bytes(const char *files, struct span bytes, bool sha256)
{
	const size_t id_len = sha256 ? ID_SHA256 : ID_SHA1;
	struct way way = { .levels = NULL };
	uint32_t version;
	int r;

	if (bytes.len < HEAD_LEN + id_len || memcmp(bytes.data, "DIRC", 4) != 0)
		return 0;
	version = number32(bytes.data + 4);
	if (version != 2 && version != 3)
		return -ENOTSUP;
	if (!has_checksum(bytes, id_len))
		return 0;
	bytes.len -= id_len;
	r = is_read(span_from(bytes, HEAD_LEN), number32(bytes.data + 8),
		    id_len);
	if (r > 0)
		r = enter(&way, AT_FDCWD, files, 0);
	if (r > 0)
		r = look_at_all(&way, span_from(bytes, HEAD_LEN),
				number32(bytes.data + 8), id_len);
	while (way.count)
		leave(&way);
	free(way.levels);
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
