/* SPDX-License-Identifier: ISC */
#include "cow/waits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/place.h"
#include "base/why.h"
#include "cow/shelf.h"

#define WAITS_DIR "/cow-waits"

static int open_list(struct buf *path, struct why *why)
{
	int fd;

	if (place_state(path, why) < 0)
		return -ENOENT;
	buf_adds(path, WAITS_DIR);
	fd = open(buf_str(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	why_sys(why, errno, "cannot open '%s'", buf_str(path));
	return place_blame_state(why);
}

void waits_add(const struct shelf *shelf)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };
	autoclose int fd = open_list(&path, &why);

	if (fd == -ENOENT && path.len &&
	    !file_mkdirs(buf_str(&path), 0700, &why)) {
		buf_reset(&path);
		fd = open_list(&path, &why);
	}
	if (fd < 0)
		return;
	(void)unlinkat(fd, shelf->name, 0);
	/* There is nothing to be done without: see the invariants. */
	(void)!symlinkat(shelf->path, fd, shelf->name);
}

void waits_remove(const struct shelf *shelf)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };
	autoclose int fd = open_list(&path, &why);

	if (fd >= 0)
		(void)unlinkat(fd, shelf->name, 0);
}

bool waits_has(const struct shelf *shelf)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };
	autoclose int fd = open_list(&path, &why);
	struct stat st;

	return fd >= 0 && !fstatat(fd, shelf->name, &st, AT_SYMLINK_NOFOLLOW);
}

int waits_each(void (*tell)(void *context, const char *dir), void *context,
	       struct why *why)
{
	autobuf struct buf path = { 0 };
	struct why missing = { 0 };
	int fd = open_list(&path, &missing);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	char text[PATH_MAX];
	ssize_t len;
	int r;

	if (fd == -ENOENT)
		return 0;
	if (!dir) {
		fd_drop(&fd);
		*why = missing;
		return missing.errnum ? -missing.errnum
				      : why_sys(why, errno, "cannot read '%s'",
						buf_str(&path));
	}
	while ((errno = 0, entry = readdir(dir))) {
		len = readlinkat(fd, entry->d_name, text, sizeof(text) - 1);
		if (len <= 0)
			continue;
		text[len] = '\0';
		tell(context, text);
	}
	r = errno ? why_sys(why, errno, "cannot read '%s'", buf_str(&path)) : 0;
	(void)closedir(dir);
	return r;
}
