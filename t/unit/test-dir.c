/* SPDX-License-Identifier: ISC */
/* Each name in a directory is told, or that they cannot be. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/dir.h"
#include "failing.h"
#include "scratch.h"
#include "tap.h"

static int count(void *context, const struct dirent *entry)
{
	int *seen = context;

	(void)entry;
	++*seen;
	return 0;
}

static int stop(void *context, const struct dirent *entry)
{
	(void)count(context, entry);
	return -ECANCELED;
}

/* What is returned where no directory can be listed. */
static int unlisted(int fd)
{
	int status, seen = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(failing_call(SYS_getdents64, BPF_JGE, 0, EIO)
			      ? 255
			      : -dir_each(fd, count, &seen));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return -WEXITSTATUS(status);
}

static void open_own(void)
{
	/* An ordinary user finds another's, root makes one. */
	const char *foreign = geteuid() ? "/" : "foreign";
	int fd;

	ok(!mkdir("own", 0755) && !chmod("own", 0755) &&
		   !symlink("own", "link"),
	   "there is a directory");
	fd = dir_open_own("own", 022);
	ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "it is opened");
	(void)close(fd);
	ok(dir_open_own("own", 077) == -EPERM,
	   "not with a bit in its mode that is barred");
	ok(geteuid() ||
		   (!mkdir(foreign, 0755) && !chown(foreign, 65534, 65534)),
	   "there is another user's");
	ok(dir_open_own(foreign, 0) == -EPERM, "that is not opened");
	ok(dir_open_own("link", 022) == -ENOTDIR, "nor what a link leads to");
	ok(dir_open_own("none", 022) == -ENOENT, "nor what is not there");
	ok(!unlink("link") && !rmdir("own") && (geteuid() || !rmdir(foreign)),
	   "they are gone");
}

int main(void)
{
	int fd, seen = 0;

	scratch_enter();
	open_own();
	fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	ok(fd >= 0 && !dir_each(fd, count, &seen) && !seen,
	   "an empty directory has no names");
	ok(!mkdir("a", 0700) && !mkdir("b", 0700) &&
		   !dir_each(fd, count, &seen) && seen == 2,
	   "each name is told, and from the start");
	seen = 0;
	ok(dir_each(fd, stop, &seen) == -ECANCELED && seen == 1,
	   "what is returned ends it");
	ok(unlisted(fd) == -EIO, "what cannot be listed is an error");
	ok(dir_each(-1, count, &seen) == -EBADF, "and so is what is not open");
	(void)close(fd);
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
