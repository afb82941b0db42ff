/* SPDX-License-Identifier: ISC */
/* roots: a thing is in one by what it is, and not by what it is called */
#include <sys/stat.h>

#include "sandbox/roots.h"
#include "scratch.h"
#include "tap.h"

static struct roots roots;

static void make(const char *path)
{
	(void)close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static bool have(const char *path)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool found = fd >= 0 && roots_have(&roots, fd);

	(void)close(fd);
	return found;
}

static bool add(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	int r = fd < 0 ? -1 : roots_add(&roots, fd);

	(void)close(fd);
	return !r;
}

static void test_places(void)
{
	ok(have("in") && have("in/file") && have("in/sub/file"),
	   "has what it is and what is below");
	ok(have("lone") && !have("file") && !have("."),
	   "has a file that it is, and neither its neighbour nor what is above");
	ok(!have("inside/file"), "has nothing of what is called in a like way");
	ok(have("in/link") && !have("in/sub/out/../file"),
	   "has a link, and not what it leads to");
	ok(!have("in/sub/out/file"), "takes no link for a way into it");
	ok(!link("file", "in/hard") && have("in/hard") && !have("file"),
	   "has a name of a file that has another outside");
}

static void test_removed(void)
{
	int in_fd = open("in/gone", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int out_fd = open("gone", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int ends[2];

	ok(!unlink("in/gone") && !unlink("gone") && roots_have(&roots, in_fd),
	   "has a file that was removed from it");
	ok(!roots_have(&roots, out_fd), "but not one that was elsewhere");
	ok(!pipe(ends) && !roots_have(&roots, ends[0]), "does not have a pipe");
}

/* As a root that may search everything: nobody can, in a closed directory. */
static void test_closed(void)
{
	ok(!chmod("in/sub", 0) && have("in/sub"),
	   "has a directory that may not be searched");
	ok(!chmod("in/sub", 0700) && have("in/sub/file"), "and what is in it");
}

static void test_moved(void)
{
	int fd = open("in/file", O_PATH | O_CLOEXEC);

	ok(!rename("in", "was") && !mkdir("in", 0700) && !have("in"),
	   "does not have what was put in its place");
	make("in/file");
	ok(!have("in/file"), "nor what is in that");
	ok(have("was") && have("was/file") && have("was/sub/file"),
	   "goes with a directory that is moved");
	ok(roots_have(&roots, fd), "and has what was opened before");
	ok(!rename("lone", "was-lone") && have("was-lone"), "as with a file");
	make("lone");
	ok(!have("lone"), "and not with another of its name");
	(void)close(fd);
}

int main(void)
{
	scratch_enter();
	if (mkdir("in", 0700) || mkdir("in/sub", 0700) ||
	    mkdir("inside", 0700) || symlink("../file", "in/link") ||
	    symlink("../../inside", "in/sub/out"))
		return 111;
	make("in/file");
	make("in/sub/file");
	make("inside/file");
	make("file");
	make("lone");
	if (!add("in") || !add("lone"))
		return 111;
	test_places();
	test_removed();
	test_closed();
	test_moved();
	roots_drop(&roots);
	ok(!roots.count && !have("was"), "has nothing when it was let go of");
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
