/* SPDX-License-Identifier: ISC */
/*
 * chock's programs find each other by where they are, and a user's files by
 * the XDG variables.  This test copies itself to where a program would be.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/child.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/place.h"
#include "base/why.h"
#include "scratch.h"
#include "tap.h"

static struct why why;

/* What a copy of this program does: print where it finds something. */
static int find(const char *what)
{
	autobuf struct buf path = { 0 };
	int r = strcmp(what, "policies") ? place_program(&path, what, &why)
					 : place_policies(&path, &why);

	if (r < 0) {
		(void)printf("%s", why.text);
		return EXIT_DENY;
	}
	(void)printf("%s", buf_str(&path));
	return EXIT_ALLOW;
}

static int copy(const struct buf *bytes, const char *path)
{
	autoclose int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);

	return fd < 0 ? -errno : file_write(fd, buf_span(bytes));
}

/* Whether the copy at @path finds @what at @where below the scratch. */
static int finds(const char *path, const char *what, const char *where)
{
	const char *const argv[] = { path, "find", what, NULL };
	const struct child child = { path, argv,          NULL, -1,
				     -1,   STDERR_FILENO, NULL };
	autobuf struct buf out = { 0 };
	autobuf struct buf wanted = { 0 };
	int r = child_run_read(&child, &out, 9999, &why);

	buf_addf(&wanted, "%s/%s", scratch_path, where);
	return r == EXIT_ALLOW && span_equal(buf_span(&out), buf_span(&wanted));
}

static int finds_none(const char *path, const char *what, const char *text)
{
	const char *const argv[] = { path, "find", what, NULL };
	const struct child child = { path, argv,          NULL, -1,
				     -1,   STDERR_FILENO, NULL };
	autobuf struct buf out = { 0 };

	return child_run_read(&child, &out, 9999, &why) == EXIT_DENY &&
	       strstr(buf_str(&out), text);
}

static void test_beside(const struct buf *self)
{
	ok(!file_mkdirs("x y/bin", 0700, &why) &&
		   !file_mkdirs("x y/libexec/chock", 0700, &why) &&
		   !copy(self, "x y/bin/chock-a") &&
		   !copy(self, "x y/libexec/chock/chock-b"),
	   "a moved installation can be made");
	ok(finds("x y/bin/chock-a", "chock-b", "x y/libexec/chock/chock-b"),
	   "a program in bin finds one in libexec");
	ok(finds("x y/libexec/chock/chock-b", "chock-a", "x y/bin/chock-a"),
	   "one in libexec finds one in bin");
	ok(finds("x y/bin/chock-a", "policies", "x y/share/chock/policies"),
	   "both find the policies");
	ok(finds_none("x y/bin/chock-a", "chock-c",
		      "cannot find 'chock-c' of this chock"),
	   "a program that is not there is not sought in PATH");
	ok(!symlink("x y/bin/chock-a", "link") &&
		   finds("./link", "chock-b", "x y/libexec/chock/chock-b"),
	   "a link to a program finds what the program finds");
	ok(!mkdir("bin-else", 0700) && !copy(self, "bin-else/chock-a") &&
		   finds_none("bin-else/chock-a", "chock-b",
			      "neither bin nor libexec/chock"),
	   "a program anywhere else finds nothing");
}

static void test_host(void)
{
	autobuf struct buf path = { 0 };

	buf_adds(&path, "before");
	(void)setenv("PATH", scratch_path, 1);
	ok(!mkdir("sh", 0700) && !place_host(&path, "sh", &why) &&
		   strstr(buf_str(&path), "before/") &&
		   !access(buf_str(&path) + strlen("before"), X_OK) &&
		   !strstr(buf_str(&path), scratch_path),
	   "a program of the host is found whatever PATH says");
	buf_reset(&path);
	ok(place_host(&path, "chock-none", &why) == -ENOENT &&
		   strstr(why.text,
			  "chock-none: it is not in " PLACE_HOST_PATH),
	   "one that is nowhere is an error that says where it was sought");
}

static int is_place(int (*place)(struct buf *, struct why *), const char *path)
{
	autobuf struct buf found = { 0 };
	int r = place(&found, &why);

	return r == 0 && path && span_is(buf_span(&found), path);
}

static void test_user(void)
{
	autobuf struct buf path = { 0 };

	(void)setenv("HOME", "/home dir", 1);
	(void)unsetenv("XDG_CONFIG_HOME");
	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("XDG_DATA_HOME");
	ok(is_place(place_config, "/home dir/.config/chock") &&
		   is_place(place_state, "/home dir/.local/state/chock") &&
		   is_place(place_data, "/home dir/.local/share/chock"),
	   "a user's files are below HOME");
	(void)setenv("XDG_CONFIG_HOME", "/c", 1);
	(void)setenv("XDG_STATE_HOME", "/s", 1);
	(void)setenv("XDG_DATA_HOME", "/d", 1);
	ok(is_place(place_config, "/c/chock") &&
		   is_place(place_state, "/s/chock") &&
		   is_place(place_data, "/d/chock"),
	   "or where the XDG variables say");
	(void)setenv("XDG_CONFIG_HOME", "relative", 1);
	(void)setenv("XDG_STATE_HOME", "", 1);
	ok(is_place(place_config, "/home dir/.config/chock") &&
		   is_place(place_state, "/home dir/.local/state/chock"),
	   "a variable that is no absolute path is as good as not set");
	(void)unsetenv("HOME");
	ok(place_config(&path, &why) == -ENOENT,
	   "without a home it is an error");
	(void)setenv("HOME", "relative", 1);
	ok(place_config(&path, &why) == -ENOENT, "and so with a relative one");
}

static bool is_blamed(int (*blame)(struct why *why), const char *text)
{
	(void)why_set(&why, EROFS, "cannot write");
	return blame(&why) == -EROFS && !strcmp(why.text, text);
}

static void test_blame(void)
{
	(void)setenv("XDG_STATE_HOME", "/s", 1);
	(void)setenv("XDG_DATA_HOME", "relative", 1);
	ok(is_blamed(place_blame_state,
		     "cannot use the state directory that XDG_STATE_HOME "
		     "names: cannot write"),
	   "the variable is named that says where it is");
	ok(is_blamed(place_blame_data,
		     "cannot use the data directory, which is below HOME "
		     "unless XDG_DATA_HOME names another: cannot write"),
	   "or that would say it");
}

static void test_runtime(void)
{
	autobuf struct buf by_uid = { 0 };

	buf_addf(&by_uid, "/tmp/chock-%u", (unsigned int)getuid());
	(void)setenv("XDG_RUNTIME_DIR", "/run/x", 1);
	ok(is_place(place_runtime, "/run/x/chock"),
	   "sockets are in the runtime directory");
	(void)unsetenv("XDG_RUNTIME_DIR");
	ok(is_place(place_runtime, buf_str(&by_uid)),
	   "or in one in /tmp that is named after the user");
}

int main(int argc, char **argv)
{
	autobuf struct buf self = { 0 };

	if (argc == 3 && !strcmp(argv[1], "find"))
		return find(argv[2]);
	if (file_read_path(&self, AT_FDCWD, "/proc/self/exe", BUF_MAX, &why) <
	    0)
		return EXIT_SYSTEM;
	scratch_enter();
	test_beside(&self);
	test_host();
	test_user();
	test_blame();
	test_runtime();
	ok(scratch_leave(), "nothing is left behind");
	return tap_end();
}
