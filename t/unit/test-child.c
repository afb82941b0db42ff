/* SPDX-License-Identifier: ISC */
/* A child gets what it is given and no more, and no side waits for ever. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/child.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/why.h"
#include "tap.h"

#define BIG ((size_t)8 << 20) /* bytes, far more than a pipe holds */

static struct why why;

static int run_read(const char *script, struct buf *out, size_t max)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	const struct child child = { "/bin/sh", argv, NULL, -1, -1, -1, NULL };

	buf_reset(out);
	return child_run_read(&child, out, max, &why);
}

static int filter(const char *script, struct span in, struct buf *out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	const struct child child = { "/bin/sh", argv, NULL, -1, -1, -1, NULL };

	buf_reset(out);
	return child_run_filter(&child, in, out, BIG, &why);
}

static void test_status(void)
{
	autobuf struct buf out = { 0 };
	const char *const argv[] = { "none", NULL };
	const struct child none = {
		"/none/such", argv, NULL, -1, -1, -1, NULL
	};

	ok(run_read("exit 37", &out, 0) == 37, "a status is handed through");
	ok(run_read("kill -9 $$", &out, 0) == EXIT_SIGNAL + SIGKILL,
	   "a killed child is told from one that ended");
	ok(child_run(&none, &why) == -ENOENT && strstr(why.text, "/none/such"),
	   "a program that is not there is an error that names it");
}

static void test_environment(void)
{
	autobuf struct buf out = { 0 };
	const char *const argv[] = { "env", NULL };
	const char *const env[] = { "A=1", "B=", NULL };
	const struct child child = {
		"/usr/bin/env", argv, env, -1, -1, -1, NULL
	};

	ok(!child_run_read(&child, &out, 99, &why) &&
		   span_is(buf_span(&out), "A=1\nB=\n"),
	   "an environment that is given is all of it");
	(void)setenv("CHOCK_TEST", "mine", 1);
	ok(!run_read("printf %s \"$CHOCK_TEST\"", &out, 99) &&
		   span_is(buf_span(&out), "mine"),
	   "without one it is our own");
}

static void test_descriptors(void)
{
	autobuf struct buf out = { 0 };
	autoclose int fd = open("/dev/zero", O_RDONLY);

	/* Not close-on-exec, as what a careless caller left open. */
	ok(fd > 2, "a descriptor of ours is open");
	ok(!run_read("exec ls /proc/self/fd", &out, 99) &&
		   span_is(buf_span(&out), "0\n1\n2\n3\n"),
	   "a child has 0, 1 and 2, and what it opens itself");
	ok(!run_read("cat; readlink /proc/self/fd/0 /proc/self/fd/2", &out,
		     99) &&
		   span_is(buf_span(&out), "/dev/null\n/dev/null\n"),
	   "those that are not given are /dev/null");
}

static void test_swapped(void)
{
	const char *const argv[] = { "sh", "-c", "echo out; echo err >&2",
				     NULL };
	autobuf struct buf out = { 0 };
	int pair[2];
	int saved = dup(STDOUT_FILENO);
	int saved_err = dup(STDERR_FILENO);
	int r;

	/* 1 and 2 are the pipe's, and the child is to have them swapped. */
	(void)fflush(stdout);
	if (pipe2(pair, O_CLOEXEC) < 0)
		return;
	(void)dup2(pair[1], STDOUT_FILENO);
	(void)dup2(pair[1], STDERR_FILENO);
	r = child_run(&(struct child){ "/bin/sh", argv, NULL, -1, STDERR_FILENO,
				       STDOUT_FILENO, NULL },
		      &why);
	(void)dup2(saved, STDOUT_FILENO);
	(void)dup2(saved_err, STDERR_FILENO);
	(void)close(saved);
	(void)close(saved_err);
	(void)close(pair[1]);
	ok(!r && !file_read(&out, pair[0], 99, &why) &&
		   span_is(buf_span(&out), "out\nerr\n"),
	   "descriptors among 0 to 2 can be given in any order");
	(void)close(pair[0]);
}

static void test_bounds(void)
{
	autobuf struct buf out = { 0 };

	ok(!run_read("printf 12345", &out, 5) && out.len == 5,
	   "as much as is wanted is read");
	ok(run_read("printf 123456", &out, 5) == -EFBIG &&
		   strstr(why.text, "'/bin/sh' printed more than 5 bytes"),
	   "more is an error");
	ok(run_read("exec yes", &out, BIG) == -EFBIG,
	   "a child that prints for ever is not waited for");
	buf_reset(&out);
	buf_adds(&out, "0123456789");
	ok(!child_run_read(
		   &(struct child){ "/bin/echo",
				    (const char *const[]){ "echo", NULL }, NULL,
				    -1, -1, -1, NULL },
		   &out, 5, &why) &&
		   span_is(buf_span(&out), "0123456789\n"),
	   "what was in the buffer does not count");
}

static void test_filter(void)
{
	autobuf struct buf in = { 0 };
	autobuf struct buf out = { 0 };
	size_t i;

	for (i = 0; i < BIG; i++)
		buf_addc(&in, (char)(i * 7));
	ok(!filter("cat", buf_span(&in), &out) &&
		   span_equal(buf_span(&in), buf_span(&out)),
	   "much input and much output go at once, byte for byte");
	ok(!filter("exec <&-; echo done", buf_span(&in), &out) &&
		   span_is(buf_span(&out), "done\n"),
	   "a child may close its input before the end");
	ok(filter("kill -9 $$", buf_span(&in), &out) == EXIT_SIGNAL + SIGKILL,
	   "a child that is killed before it reads is no more than that");
	ok(!filter("cat", (struct span){ NULL, 0 }, &out) && !out.len,
	   "no input is an end at once");
	ok(filter("kill -s PIPE $$; exit 3", buf_span(&in), &out) ==
		   EXIT_SIGNAL + SIGPIPE,
	   "we ignore SIGPIPE for a filter, and its child does not");
}

static void test_sigpipe(void)
{
	autobuf struct buf out = { 0 };
	struct sigaction now;

	(void)filter("exit 0", span_of("x"), &out);
	ok(!sigaction(SIGPIPE, NULL, &now) && now.sa_handler == SIG_DFL,
	   "SIGPIPE is as it was");
}

static void test_extra(void)
{
	const char *const argv[] = { "sh", "-c",
				     "read -r line <&3 && [ \"$line\" = hi ] "
				     "&& ! (exec <&4) 2>/dev/null",
				     NULL };
	struct child child = { "/bin/sh", argv, NULL, -1, -1, -1, NULL };
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return;
	ok(write(pair[1], "hi\n", 3) == 3, "the test can write to its pipe");
	ok(child_run(&child, &why) != 0, "no other descriptor is passed");
	child.extra_fd = &pair[0];
	ok(child_run(&child, &why) == 0, "but the one that is named, as 3");
	(void)close(pair[0]);
	(void)close(pair[1]);
}

int main(void)
{
	test_status();
	test_environment();
	test_descriptors();
	test_swapped();
	test_bounds();
	test_filter();
	test_sigpipe();
	test_extra();
	return tap_end();
}
