/* SPDX-License-Identifier: ISC */
/* A survey tells of all names below a directory, or that it does not. */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/auto.h"
#include "base/buf.h"
#include "cow/before.h"
#include "cow/survey.h"
#include "failing.h"
#include "scratch.h"
#include "tap.h"

/*
 *	p/     d/in/deep, and the links l to d and d/l to nothing
 */
static bool begin(void)
{
	autoclose int fd = -1;

	if (mkdir("p", 0700) < 0 || mkdir("p/d", 0700) < 0 ||
	    mkdir("p/d/in", 0700) < 0)
		return false;
	fd = open("p/d/in/deep", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd >= 0 && !symlink("d", "p/l") && !symlink("none", "p/d/l");
}

struct seen {
	struct buf paths;
	int links;
};

static int see(void *context, const struct survey_name *name)
{
	struct seen *seen = context;

	buf_addf(&seen->paths, "%s\n", name->path);
	seen->links += name->link;
	return 0;
}

static int stop(void *context, const struct survey_name *name)
{
	(void)context;
	(void)name;
	return -ESRCH;
}

static bool saw(const struct seen *seen, const char *path)
{
	autobuf struct buf line = { 0 };
	autobuf struct buf all = { 0 };

	buf_addf(&line, "\n%s\n", path);
	buf_addf(&all, "\n%s", buf_str((struct buf *)&seen->paths));
	return strstr(buf_str(&all), buf_str(&line));
}

static int look(struct seen *seen)
{
	autoclose int fd = open("p", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*seen = (struct seen){ .links = 0 };
	return survey(fd, see, seen);
}

static void test_names(void)
{
	autoclose int fd = open("p", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct seen seen;

	ok(!look(&seen) && saw(&seen, "d") && saw(&seen, "d/in") &&
		   saw(&seen, "d/in/deep") && saw(&seen, "d/l") &&
		   saw(&seen, "l") && !saw(&seen, "l/in") && seen.links == 2,
	   "tells of each name, which are links, and follows none");
	buf_drop(&seen.paths);
	ok(survey(fd, stop, NULL) == -ESRCH, "ends when it is told to");
}

/* What a survey returns where no directory below can be opened. */
static int look_failing(int errnum)
{
	struct seen seen;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(failing_call(SYS_openat, BPF_JSET, O_NOFOLLOW, errnum)
			      ? 255
			      : -look(&seen));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return -WEXITSTATUS(status);
}

static void test_unread(void)
{
	static const int passed[] = { EACCES, ENOENT, ENOTDIR, ELOOP };
	static const int failed[] = { EIO, ENOMEM, EMFILE, ENFILE, EPERM };
	struct seen seen;
	bool all = true;
	size_t i;

	for (i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		all = all && !look_failing(passed[i]);
	ok(all, "passes over what may not be read, or is no directory by now");
	for (i = 0; i < sizeof(failed) / sizeof(*failed); i++)
		all = all && look_failing(failed[i]) == -failed[i];
	ok(all, "ends where a directory cannot be read for another reason");
	ok(!chmod("p/d/in", 0) && !look(&seen) && saw(&seen, "d/in") &&
		   !saw(&seen, "d/in/deep") && saw(&seen, "l"),
	   "tells of all but what is in a directory that may not be read");
	(void)chmod("p/d/in", 0700);
	buf_drop(&seen.paths);
}

static bool write_down(const struct buf *names)
{
	autoclose int fd =
		open("names", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd >= 0 && !file_write(fd, buf_span(names));
}

static void test_before(void)
{
	autobuf struct buf names = { 0 };
	autobefore struct before before = { .path = "names" };
	autobefore struct before lost = { .path = "nowhere" };
	autobefore struct before cut = { .path = "names" };

	ok(!before_list(&names, "p") && write_down(&names) &&
		   before_has(&before, "d/in/deep") &&
		   before_has(&before, "l") && !before_has(&before, "d/new"),
	   "knows the names that were there");
	ok(before_has(&lost, "d/new"), "takes all for there, where none is");
	names.len--;
	ok(write_down(&names) && before_has(&cut, "d/new"),
	   "takes all for there, where they were cut off");
}

int main(void)
{
	scratch_enter();
	ok(begin(), "finds room");
	test_names();
	test_unread();
	test_before();
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
