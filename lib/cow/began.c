/* SPDX-License-Identifier: ISC */
#include "cow/began.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/why.h"
#include "cow/cow.h"
#include "cow/journal.h"

/*
 * A clock that is slowed down by a time server loses less than that; one that
 * was set back loses more, and then a ctime says nothing (adjtimex(2): 500
 * parts in a million).
 */
#define CLOCK_SLACK_MS 100
#define CLOCK_SLACK_PARTS 1000

/*
 * The clock of a file system is not always ours.  Making a stage tells it, and
 * whether a commit can be made at all; the directory's own time is put back.
 */
int began_on_disk(struct cow *cow, struct why *why)
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

void began_now(struct cow *cow)
{
	(void)clock_gettime(CLOCK_REALTIME, &cow->real);
	(void)clock_gettime(CLOCK_BOOTTIME, &cow->boot);
}

bool began_was_set_back(const struct cow *cow)
{
	struct timespec real, boot;
	int64_t passed;

	(void)clock_gettime(CLOCK_REALTIME, &real);
	(void)clock_gettime(CLOCK_BOOTTIME, &boot);
	passed = milliseconds(&cow->boot, &boot);
	return milliseconds(&cow->real, &real) <
	       passed - passed / CLOCK_SLACK_PARTS - CLOCK_SLACK_MS;
}
