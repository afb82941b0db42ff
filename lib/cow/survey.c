/* SPDX-License-Identifier: ISC */
#include "cow/survey.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/progress.h"
#include "cow/journal.h"
#include "cow/node.h"

/* What holds for all of it. */
struct going {
	survey_tell *tell;
	void *context;
	size_t count;
	dev_t dev;
};

/* A directory on the way. */
struct level {
	struct going *going;
	const char *path; /* "" at the top */
	unsigned int depth;
};

static unsigned char type_of(int fd, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN ||
	    node_stat(fd, entry->d_name, &st) <= 0)
		return entry->d_type;
	return S_ISDIR(st.st_mode)   ? DT_DIR
	       : S_ISLNK(st.st_mode) ? DT_LNK
				     : DT_REG;
}

/* What may not be read, or is by now no directory.  Of another failure nobody
 * knows what is below. */
static bool is_empty(int errnum)
{
	return errnum == EACCES || errnum == ENOENT || errnum == ENOTDIR ||
	       errnum == ELOOP;
}

static int go(const struct level *level, int owned_fd);

static int go_below(const struct level *level, const struct survey_name *at)
{
	const struct level below = { level->going, at->path, level->depth + 1 };
	autoclose int fd = -1;
	struct stat st;

	if (below.depth >= node_depth_max())
		return -E2BIG;
	fd = openat(at->dir_fd, at->name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return is_empty(errno) ? 0 : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	return st.st_dev == level->going->dev ? go(&below, take_fd(&fd)) : 0;
}

static int take(const struct level *level, int fd, const struct dirent *entry)
{
	struct going *going = level->going;
	const unsigned char type = type_of(fd, entry);
	autofree char *path = alloc_text(
		"%s%s%s", level->path, *level->path ? "/" : "", entry->d_name);
	const struct survey_name at = { .dir_fd = fd,
					.name = entry->d_name,
					.path = path,
					.link = type == DT_LNK };
	int r;

	/* What is too long to be named is left out everywhere. */
	if (strlen(path) >= PATH_MAX ||
	    (!level->depth && !strcmp(path, COW_DIR)))
		return 0;
	if (++going->count > SURVEY_NAMES_MAX)
		return -E2BIG;
	progress_step();
	r = going->tell(going->context, &at);
	return r || type != DT_DIR ? r : go_below(level, &at);
}

static int go(const struct level *level, int owned_fd)
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
			r = take(level, dirfd(dir), entry);
	}
	(void)closedir(dir);
	return r;
}

int survey(int dir_fd, survey_tell *tell, void *context)
{
	autoclose int fd =
		openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct going going = { .tell = tell, .context = context };
	const struct level top = { &going, "", 0 };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	going.dev = st.st_dev;
	return go(&top, take_fd(&fd));
}
