/* SPDX-License-Identifier: ISC */
#include "cow/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "cow/cow.h"
#include "cow/journal.h"
#include "cow/node.h"
#include "cow/shelf.h"
#include "cow/stage.h"

static int lock(const char *path, struct why *why)
{
	autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return why_sys(why, errno, "cannot open '%s'", path);
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return take_fd(&fd);
	if (errno == EWOULDBLOCK)
		return why_set(why, EAGAIN,
			       "'%s' has a copy on write that is in use: one "
			       "run at a time",
			       path);
	return why_sys(why, errno, "cannot lock '%s'", path);
}

int lock_take(struct cow *cow, const char *path, struct why *why)
{
	*cow = COW_CLOSED;
	cow->path = path;
	cow->dir_fd = lock(path, why);
	if (cow->dir_fd < 0)
		return cow->dir_fd;
	if (fstat(cow->dir_fd, &cow->st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	return 0;
}

/*
 * A stage without a journal is one of a run that was killed: between the calls
 * of began_on_disk(), before it touched anything, or after it had done all.
 */
static int look_for_stage(const struct cow *cow, bool commits, struct why *why)
{
	struct stat st;
	int r = node_stat(cow->dir_fd, COW_DIR, &st);

	if (r < 0)
		return why_sys(why, -r, "cannot look into '%s'", cow->path);
	if (!r)
		return 0;
	r = stage_is_whole(cow->dir_fd, COW_DIR, why);
	if (!r && commits)
		r = stage_remove(cow->dir_fd, COW_DIR, why);
	return r < 0 ? why_within(why, "cannot use '%s'", cow->path) : r;
}

int lock_refuse_earlier(const struct cow *cow, bool commits, struct why *why)
{
	int r = look_for_stage(cow, commits, why);

	if (!r) {
		r = shelf_there(&cow->shelf, why);
		if (r > 0 && shelf_check(&cow->shelf, false, why) < 0)
			r = why_within(why, "cannot use '%s'", cow->path);
	}
	return r > 0 ? why_set(why, EEXIST,
			       "'%s' waits for the work of an earlier run: "
			       "'chock-spawn --recover' puts it in place, and "
			       "with --discard throws it away",
			       cow->path)
		     : r;
}
