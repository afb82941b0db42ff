/* SPDX-License-Identifier: ISC */
/* No path leads out of the directory that it is of, or over a link. */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/auto.h"
#include "base/span.h"
#include "cow/node.h"
#include "scratch.h"
#include "tap.h"
#include "workspace/beneath.h"

/*
 *	secret
 *	p/     f, d/in/deep, the link l to d and the link out to ..
 *	q/     another like it
 */
static int p_fd = -1, q_fd = -1;

static bool put(int dir_fd, const char *path, const char *text)
{
	autoclose int fd = openat(
		dir_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd >= 0 && !file_write(fd, span_of(text));
}

static int fill(const char *name)
{
	int fd = mkdir(name, 0700) < 0
			 ? -1
			 : open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && put(fd, "f", "f") && !mkdirat(fd, "d", 0700) &&
			       !mkdirat(fd, "d/in", 0700) &&
			       put(fd, "d/in/deep", "deep") &&
			       !symlinkat("d", fd, "l") &&
			       !symlinkat("..", fd, "out")
		       ? fd
		       : -1;
}

typedef int opening(const char *path);

static int by_stat(const char *path)
{
	struct stat st;

	return beneath_stat(p_fd, path, &st);
}

static int by_open(const char *path)
{
	autoclose int fd = beneath_open(p_fd, path);

	return fd < 0 ? fd : 0;
}

static int by_read(const char *path)
{
	autoclose int fd = beneath_read(p_fd, path);

	return fd < 0 ? fd : 0;
}

static int by_unlink(const char *path)
{
	return beneath_unlink(p_fd, path);
}

static int by_parent(const char *path)
{
	const char *name;
	autoclose int fd = node_parent(p_fd, path, &name);
	struct stat st;

	if (fd < 0)
		return fd;
	return node_stat(fd, name, &st) > 0 ? 0 : -ENOENT;
}

static const struct way {
	opening *opens;
	const char *name;
} ways[] = {
	{ by_stat, "a look leaves no directory" },
	{ by_open, "nothing is opened that is not beneath" },
	{ by_read, "nothing is read that is not beneath" },
	{ by_unlink, "nothing is removed that is not beneath" },
	{ by_parent, "a parent is beneath, and what it names" },
};

static void test_out(opening *opens, const char *name)
{
	ok(opens("..") == -EINVAL && opens(".") == -EINVAL &&
		   opens("d/..") == -EINVAL && opens("d/.") == -EINVAL &&
		   opens("d/in/..") == -EINVAL && opens("") == -ENOENT &&
		   opens("d/") == -ENOENT && opens("../secret") == -EXDEV &&
		   opens("d/../../secret") == -EXDEV &&
		   opens("/etc/passwd") == -EXDEV &&
		   opens("out/secret") == -ELOOP && opens("l/in") == -ELOOP &&
		   opens("f/x") == -ENOTDIR && opens("none") == -ENOENT,
	   name);
}

static void test_found(void)
{
	struct stat st;
	autoclose int link = beneath_open(p_fd, "l");

	ok(!by_stat("f") && !by_stat("d/in/deep") && !by_stat("d/in") &&
		   !by_parent("d/in/deep") && !by_parent("..f.."),
	   "what is beneath is found");
	ok(!beneath_stat(p_fd, "l", &st) && S_ISLNK(st.st_mode) && link >= 0 &&
		   !fstat(link, &st) && S_ISLNK(st.st_mode),
	   "a link is itself");
	ok(!by_read("f") && by_read("l") == -ELOOP &&
		   !mkfifoat(p_fd, "p", 0600) && !by_read("p"),
	   "what is read is no link, and nothing is waited for");
}

static void test_compare(void)
{
	ok(beneath_compare(p_fd, q_fd, "d/in/deep") == BENEATH_SAME &&
		   beneath_compare(p_fd, q_fd, "l") == BENEATH_SAME,
	   "what is the same on both sides is");
	ok(put(p_fd, "f", "") &&
		   beneath_compare(p_fd, q_fd, "f") == BENEATH_PART &&
		   put(p_fd, "f", "g") &&
		   beneath_compare(p_fd, q_fd, "f") == BENEATH_OTHER,
	   "a beginning is told from another file");
	ok(beneath_compare(p_fd, q_fd, "out/f") == BENEATH_OTHER &&
		   beneath_compare(p_fd, q_fd, "..") == BENEATH_OTHER &&
		   beneath_compare(p_fd, q_fd, "none") == BENEATH_OTHER,
	   "what cannot be read is another");
}

static void test_remove(void)
{
	static const struct timespec ever = { 0 };

	ok(!by_unlink("d/in/deep") && by_stat("d/in/deep") == -ENOENT,
	   "a file is removed");
	beneath_prune(p_fd, "d/in/deep", &ever);
	ok(by_stat("d") == -ENOENT && !by_stat("f"),
	   "empty directories above it go, and no other");
	beneath_prune(p_fd, "../secret", &ever);
	ok(!access("secret", F_OK) && !access("p", F_OK),
	   "what is not beneath stays");
}

static int make(const char *path, const char *last)
{
	const char *name;
	autoclose int fd = beneath_make(p_fd, path, &name);

	return fd < 0 ? fd : !strcmp(name, last) ? 0 : -EBADMSG;
}

static void test_make(void)
{
	ok(!make("new/er/one", "one") && !by_stat("new/er") &&
		   by_stat("new/er/one") == -ENOENT,
	   "directories are made above a name, and no more");
	ok(!make("new/two", "two") && !make("three", "three"),
	   "those that are there are taken");
	ok(make("out/p", "p") == -ENOTDIR && make("l/in/x", "x") == -ENOTDIR &&
		   make("f/x", "x") == -ENOTDIR,
	   "none is made over a link or a file");
	ok(make("../made/x", "x") == -EINVAL &&
		   make("new/..", "..") == -EINVAL &&
		   make("new//x", "x") == -EINVAL &&
		   make("/made/x", "x") == -EINVAL && access("made", F_OK) < 0,
	   "none is made by a path that is none beneath");
}

int main(void)
{
	size_t i;

	scratch_enter();
	p_fd = fill("p");
	q_fd = fill("q");
	ok(p_fd >= 0 && q_fd >= 0 && put(AT_FDCWD, "secret", "secret") &&
		   put(p_fd, "..f..", ""),
	   "finds room");
	test_found();
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		test_out(ways[i].opens, ways[i].name);
	test_compare();
	test_remove();
	test_make();
	auto_close(&p_fd);
	auto_close(&q_fd);
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
