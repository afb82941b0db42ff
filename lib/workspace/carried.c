/* SPDX-License-Identifier: ISC */
#include "workspace/carried.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/beneath.h"
#include "workspace/dirt.h"
#include "workspace/space.h"

#define LIST "carried"

static int open_copy(const struct space *space)
{
	return open(space->copy, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* One line, in which the path comes last; what cannot be looked at is gone. */
static void put_stamp(struct buf *stamp, int copy_fd, const char *path)
{
	struct stat st;

	if (beneath_stat(copy_fd, path, &st) < 0)
		buf_adds(stamp, "-");
	else
		buf_addf(stamp, "%llu %lld.%09ld %o",
			 (unsigned long long)st.st_ino,
			 (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec,
			 st.st_mode);
	buf_addf(stamp, " %s", path);
}

static void note_all(struct buf *list, int copy_fd, const struct names *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++) {
		put_stamp(list, copy_fd, paths->items[i]);
		buf_addc(list, '\0');
	}
}

int carried_note(const struct space *space, const struct dirt *dirt,
		 struct why *why)
{
	autoclose int copy_fd = open_copy(space);
	autobuf struct buf list = { 0 };

	if (copy_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", space->copy);
	note_all(&list, copy_fd, &dirt->changed);
	note_all(&list, copy_fd, &dirt->untracked);
	return file_put(space->dir, LIST, buf_span(&list), why);
}

int carried_open(struct carried *carried, const struct space *space,
		 struct why *why)
{
	autobuf struct buf list = { 0 };
	int r = space_read(&list, space, LIST, why);

	if (r <= 0)
		return r;
	names_split(&carried->stamps, buf_span(&list), '\0');
	names_tidy(&carried->stamps);
	carried->copy_fd = open_copy(space);
	return carried->copy_fd < 0
		       ? why_sys(why, errno, "cannot open '%s'", space->copy)
		       : 0;
}

bool carried_has(const struct carried *carried, const char *path)
{
	autobuf struct buf stamp = { 0 };

	if (carried->copy_fd < 0)
		return false;
	put_stamp(&stamp, carried->copy_fd, path);
	return names_has(&carried->stamps, buf_str(&stamp));
}

void carried_drop(struct carried *carried)
{
	names_drop(&carried->stamps);
	fd_drop(&carried->copy_fd);
}
