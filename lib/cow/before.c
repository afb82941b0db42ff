/* SPDX-License-Identifier: ISC */
#include "cow/before.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "cow/journal.h"
#include "cow/node.h"

/* A directory on the way, and what is above it. */
struct going {
	struct buf *names;
	size_t *count;
	dev_t dev;
	const char *path; /* of this directory; "" at the top */
	unsigned int depth;
};

static int go(const struct going *at, int owned_fd);

static bool is_dir(int fd, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return node_stat(fd, entry->d_name, &st) > 0 && S_ISDIR(st.st_mode);
}

static int go_below(const struct going *at, int fd, const char *name,
		    const char *path)
{
	const struct going below = { .names = at->names,
				     .count = at->count,
				     .dev = at->dev,
				     .path = path,
				     .depth = at->depth + 1 };
	autoclose int below_fd = -1;
	struct stat st;

	if (below.depth >= node_depth_max())
		return -E2BIG;
	below_fd = openat(fd, name,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below_fd < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : 0;
	if (fstat(below_fd, &st) < 0)
		return -errno;
	return st.st_dev == at->dev ? go(&below, take_fd(&below_fd)) : 0;
}

static int take(const struct going *at, int fd, const struct dirent *entry)
{
	autofree char *path = alloc_text("%s%s%s", at->path,
					 *at->path ? "/" : "", entry->d_name);
	const size_t len = strlen(path);

	/* What is too long to be named is left out everywhere. */
	if (len >= PATH_MAX || (!at->depth && !strcmp(path, COW_DIR)))
		return 0;
	if (++*at->count > BEFORE_NAMES_MAX ||
	    at->names->len + len >= BEFORE_BYTES_MAX)
		return -E2BIG;
	buf_add(at->names, (struct span){ path, len + 1 });
	return is_dir(fd, entry) ? go_below(at, fd, entry->d_name, path) : 0;
}

static int go(const struct going *at, int owned_fd)
{
	DIR *dir = fdopendir(owned_fd);
	const struct dirent *entry;
	int r = 0;

	if (!dir) {
		r = -errno;
		(void)close(owned_fd);
		return r;
	}
	while (!r) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			r = -errno;
			break;
		}
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			r = take(at, dirfd(dir), entry);
	}
	(void)closedir(dir);
	return r;
}

int before_list(struct buf *names, const char *path)
{
	autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct going top = { .names = names,
			     .count = &(size_t){ 0 },
			     .path = "" };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	top.dev = st.st_dev;
	return go(&top, take_fd(&fd));
}

static int compare(const void *a, const void *b)
{
	const char *const *names[] = { a, b };

	return strcmp(*names[0], *names[1]);
}

/* One that was cut off ends in no NUL, and is none. */
static bool read_all(struct before *before)
{
	const char *at, *end;
	struct why lost = { 0 };

	if (!before->path ||
	    file_read_path(&before->bytes, AT_FDCWD, before->path,
			   BEFORE_BYTES_MAX, &lost) < 0)
		return false;
	at = before->bytes.data;
	end = at + before->bytes.len;
	if (at == end)
		return true;
	if (end[-1])
		return false;
	for (; at < end; at += strlen(at) + 1) {
		before->names = alloc_array(before->names, before->count,
					    sizeof(*before->names));
		before->names[before->count++] = at;
	}
	qsort(before->names, before->count, sizeof(*before->names), compare);
	return true;
}

bool before_has(struct before *before, const char *path)
{
	if (!before->read)
		before->known = read_all(before);
	before->read = true;
	return !before->known ||
	       (before->count && bsearch(&path, before->names, before->count,
					 sizeof(*before->names), compare));
}

void before_drop(struct before *before)
{
	buf_drop(&before->bytes);
	free(before->names);
	*before = (struct before){ 0 };
}
