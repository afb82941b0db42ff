/* SPDX-License-Identifier: ISC */
/*
 * The list tells of each directory in which work may wait, or that it cannot.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "cow/shelf.h"
#include "cow/waits.h"
#include "failing.h"
#include "scratch.h"
#include "tap.h"

static void see(void *context, const char *dir)
{
	buf_addf(context, "%s\n", dir);
}

static int each(struct buf *seen)
{
	struct why why = { 0 };

	buf_reset(seen);
	return waits_each(see, seen, &why);
}

/* What is returned where no directory can be listed. */
static int each_unlisted(struct buf *seen)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(failing_call(SYS_getdents64, BPF_JGE, 0, EIO)
			      ? 255
			      : -each(seen));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return -WEXITSTATUS(status);
}

int main(void)
{
	struct shelf one = { .path = (char *)"/p/one", .name = "1" };
	struct shelf two = { .path = (char *)"/p/two", .name = "2" };
	autobuf struct buf seen = { 0 };

	scratch_enter();
	ok(!setenv("XDG_STATE_HOME", scratch_path, 1) && !each(&seen) &&
		   !seen.len,
	   "without a list nothing waits");
	waits_add(&one);
	waits_add(&two);
	ok(!each(&seen) && strstr(buf_str(&seen), "/p/one\n") &&
		   strstr(buf_str(&seen), "/p/two\n"),
	   "each directory is told");
	ok(each_unlisted(&seen) == -EIO, "what cannot be listed is an error");
	waits_remove(&one);
	ok(!each(&seen) && !strcmp(buf_str(&seen), "/p/two\n"),
	   "one in which nothing waits is not told any more");
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
