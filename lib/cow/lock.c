/* SPDX-License-Identifier: ISC */
#include "cow/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
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

/*
 * A clock that is slowed down by a time server loses less than that; one that
 * was set back loses more, and then a ctime says nothing (adjtimex(2): 500
 * parts in a million).
 */
#define CLOCK_SLACK_MS 100
#define CLOCK_SLACK_PARTS 1000

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
 * of lock_read_clock(), before it touched anything, or after it had done all.
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

/*
 * The clock of a file system is not always ours.  Making a stage tells it, and
 * whether a commit can be made at all; the directory's own time is put back.
 */
int lock_read_clock(struct cow *cow, struct why *why)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT },
					  cow->st.st_mtim };
	struct stat st;

	if (mkdirat(cow->dir_fd, COW_DIR, 0700) < 0 ||
	    unlinkat(cow->dir_fd, COW_DIR, AT_REMOVEDIR) < 0)
		return why_sys(why, errno, "cannot write to '%s'", cow->path);
	(void)futimens(cow->dir_fd, times);
	if (fstat(cow->dir_fd, &st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", cow->path);
	cow->since = st.st_ctim;
	return 0;
}

static int64_t milliseconds(const struct timespec *from,
			    const struct timespec *to)
{
	return (int64_t)(to->tv_sec - from->tv_sec) * 1000 +
	       (to->tv_nsec - from->tv_nsec) / 1000000;
}

void lock_note_time(struct cow *cow)
{
	(void)clock_gettime(CLOCK_REALTIME, &cow->real);
	(void)clock_gettime(CLOCK_BOOTTIME, &cow->boot);
}

bool lock_set_back(const struct cow *cow)
{
	struct timespec real, boot;
	int64_t passed;

	(void)clock_gettime(CLOCK_REALTIME, &real);
	(void)clock_gettime(CLOCK_BOOTTIME, &boot);
	passed = milliseconds(&cow->boot, &boot);
	return milliseconds(&cow->real, &real) <
	       passed - passed / CLOCK_SLACK_PARTS - CLOCK_SLACK_MS;
}
