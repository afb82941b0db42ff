/* SPDX-License-Identifier: ISC */
/* Whole files come whole, bounded; a tree of any shape can be removed. */

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "failing.h"
#include "scratch.h"
#include "tap.h"

#define DEEP 3000 /* folders, of which PATH_MAX takes about 2000 */

static struct why why;

static int write_file(const char *path, const char *text)
{
	autoclose int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : file_write(fd, span_of(text));
}

static int is_gone(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 && errno == ENOENT;
}

static int remove_tree(const char *name)
{
	return file_remove_tree(AT_FDCWD, name, &why);
}

static int read_path(struct buf *bytes, const char *path, size_t max)
{
	buf_reset(bytes);
	why = (struct why){ 0 };
	return file_read_path(bytes, AT_FDCWD, path, max, &why);
}

static void test_read(void)
{
	autobuf struct buf bytes = { 0 };

	ok(!write_file("five", "12345") && !read_path(&bytes, "five", 5) &&
		   span_is(buf_span(&bytes), "12345"),
	   "a file of @max bytes comes whole");
	ok(read_path(&bytes, "five", 4) == -EFBIG, "one byte more is refused");
	buf_reset(&bytes);
	buf_adds(&bytes, "before");
	ok(!file_read_path(&bytes, AT_FDCWD, "five", 5, &why) &&
		   span_is(buf_span(&bytes), "before12345"),
	   "it is put behind what is there, which does not count");
	ok(read_path(&bytes, "none", 5) == -ENOENT &&
		   strstr(why.text, "'none'"),
	   "a file that is not there is named");
	ok(read_path(&bytes, ".", 5) == -EINVAL, "a directory is refused");
	ok(!mkfifo("fifo", 0600) && read_path(&bytes, "fifo", 5) == -EINVAL,
	   "a FIFO is refused, and nobody waits for it");
	ok(!chmod("five", 0) && read_path(&bytes, "five", 5) == -EACCES,
	   "a file that may not be read is an error");
}

static void test_fill(void)
{
	char bytes[6] = "";
	int ends[2] = { -1, -1 };
	autoclose int fd = open("filled", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ok(!file_write(fd, span_of("12345678")) && !lseek(fd, 0, SEEK_SET) &&
		   file_fill(fd, bytes, 5) == 5 && !strcmp(bytes, "12345") &&
		   file_fill(fd, bytes, 5) == 3 && !memcmp(bytes, "678", 3) &&
		   !file_fill(fd, bytes, 5),
	   "bytes fill what there is for them, and are short at the end only");
	/* In packets, pipe(2), a read returns what one write wrote. */
	ok(!pipe2(ends, O_CLOEXEC | O_DIRECT) && write(ends[1], "12", 2) == 2 &&
		   write(ends[1], "345", 3) == 3 && !close(ends[1]) &&
		   file_fill(ends[0], bytes, 6) == 5 &&
		   !memcmp(bytes, "12345", 5) && !close(ends[0]),
	   "what was read short is read on to its end");
	ok(file_fill(-1, bytes, 5) == -EBADF, "what cannot be read says why");
}

static int put(const char *dir, const char *text)
{
	why = (struct why){ 0 };
	return file_put(dir, "state", span_of(text), &why);
}

static void test_put(void)
{
	autobuf struct buf bytes = { 0 };
	struct stat st;

	ok(!mkdir("put", 0700) && !put("put", "one") &&
		   !read_path(&bytes, "put/state", 9) &&
		   span_is(buf_span(&bytes), "one"),
	   "a file is put in place whole");
	ok(!stat("put/state", &st) && (st.st_mode & 0777) == 0600,
	   "and is its owner's alone");
	ok(!write_file("put/state.new", "longer than that") &&
		   !put("put", "two") && !read_path(&bytes, "put/state", 9) &&
		   span_is(buf_span(&bytes), "two") && is_gone("put/state.new"),
	   "what a call left that was cut off is in no way");
	ok(!symlink("state", "put/state.new") && put("put", "no") == -ELOOP &&
		   is_gone("put/state.new") &&
		   !read_path(&bytes, "put/state", 9) &&
		   span_is(buf_span(&bytes), "two"),
	   "a link is not written through, and then all stays as it was");
	ok(!mkdir("put/dir", 0700) && !mkdir("put/dir/state", 0700) &&
		   put("put/dir", "no") == -EISDIR &&
		   is_gone("put/dir/state.new") &&
		   strstr(why.text, "'put/dir/state'"),
	   "what cannot be replaced is named, and nothing is left beside it");
	ok(put("put/none", "no") == -ENOENT, "nor is a directory made");
	ok(!file_sync_dir("put") && file_sync_dir("put/none") == -ENOENT,
	   "a directory is synced, if there is one");
}

static void test_mkdirs(void)
{
	struct stat st;

	ok(!file_mkdirs("m/n//o/", 0700, &why) && !stat("m/n/o", &st) &&
		   (st.st_mode & 07777) == 0700,
	   "all directories of a path are made");
	ok(!file_mkdirs("m/n/o", 0755, &why) && !stat("m/n/o", &st) &&
		   (st.st_mode & 07777) == 0700,
	   "what is there stays as it is");
	ok(!file_mkdirs("/", 0700, &why), "the root is there");
	ok(file_mkdirs("", 0700, &why) == -ENOENT, "no path is no directory");
	ok(!write_file("m/file", "") &&
		   file_mkdirs("m/file", 0700, &why) == -ENOTDIR &&
		   file_mkdirs("m/file/o", 0700, &why) == -ENOTDIR,
	   "a file in the way is an error");
}

static void test_remove(void)
{
	ok(!remove_tree("nothing"), "nothing is removed without an error");
	ok(!write_file("file", "") && !remove_tree("file") && is_gone("file"),
	   "a file is removed");
	ok(!mkdir("kept", 0700) && !write_file("kept/file", "") &&
		   !symlink("kept", "link") && !remove_tree("link") &&
		   is_gone("link") && !access("kept/file", F_OK),
	   "of a link only the link is removed");
	ok(!mkdir("tree", 0700) && !symlink("../kept", "tree/link") &&
		   !mkdir("tree/below", 0700) &&
		   !symlink("../../kept", "tree/below/link") &&
		   !remove_tree("tree") && is_gone("tree") &&
		   !access("kept/file", F_OK),
	   "links in a tree are not followed either");
}

static void test_remove_odd_names(void)
{
	ok(!file_mkdirs("odd/\xff\n/up-0/up-1", 0700, &why) &&
		   !file_mkdirs("odd/up-0/up-0/up-0", 0700, &why) &&
		   !write_file("odd/up-2", "") &&
		   !file_mkdirs("odd/up-3/ /-rf", 0700, &why) &&
		   !remove_tree("odd") && is_gone("odd"),
	   "a tree with any names is removed");
}

static void test_remove_closed(void)
{
	ok(!file_mkdirs("shut/a/b/c", 0700, &why) &&
		   !write_file("shut/a/b/file", "") &&
		   !chmod("shut/a/b/c", 0) && !chmod("shut/a/b", 0) &&
		   !chmod("shut/a", 0500) && !chmod("shut", 0) &&
		   !remove_tree("shut") && is_gone("shut"),
	   "directories whose modes forbid it are removed");
	ok(!file_mkdirs("held/tree/a", 0700, &why) && !chmod("held", 0500) &&
		   remove_tree("held/tree") == -EACCES && why.errnum == EACCES,
	   "what the directory above forbids is an error");
	(void)chmod("held", 0700);
}

static int make_deep(const char *name)
{
	autoclose int top_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = mkdir(name, 0700) || chdir(name);
	int i;

	for (i = 0; i < DEEP && !r; i++)
		r = mkdir("d", 0700) || write_file("f", "") || chdir("d");
	return fchdir(top_fd) || r;
}

static void test_remove_deep(void)
{
	_Static_assert(2 * DEEP > PATH_MAX, "no path reaches the last one");

	ok(!make_deep("deep"), "a tree deeper than PATH_MAX can be made");
	ok(!remove_tree("deep") && is_gone("deep"), "and be removed");
}

/* In namespaces of its own: "kept" is shown in the tree that is removed. */
static int remove_mounted(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 ||
	    mount("kept", "shown/in/it", NULL, MS_BIND, NULL) < 0)
		return 77;
	return remove_tree("shown") != -EBUSY || access("kept/file", F_OK) < 0;
}

static void test_remove_mount(void)
{
	int r = file_mkdirs("shown/in/it", 0700, &why);
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(r ? 1 : remove_mounted());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		ok(1, "what is mounted in a tree stays # skip no namespaces");
	else
		ok(status == 0, "what is mounted in a tree stays");
}

static int fail_reading(void)
{
	return failing_call(SYS_getdents64, BPF_JGE, 0, EIO) ||
	       remove_tree("unread") != -EIO;
}

static int fail_removing(void)
{
	return failing_call(SYS_unlinkat, BPF_JEQ, 0, EPERM) ||
	       remove_tree("unread/file") != -EPERM;
}

static int fail_opening(void)
{
	const int next_fd = dup(STDIN_FILENO);
	const struct rlimit few = { (rlim_t)next_fd + 1, (rlim_t)next_fd + 1 };

	(void)close(next_fd);
	return setrlimit(RLIMIT_NOFILE, &few) < 0 ||
	       remove_tree("unread") != -EMFILE;
}

/* Whether @test, in a process of its own that cannot go on for ever, is 0. */
static int passes(int (*test)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		(void)alarm(20);
		_exit(test());
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static void test_remove_errors(void)
{
	ok(!mkdir("unread", 0700) && !write_file("unread/file", ""),
	   "a tree can be made");
	ok(passes(fail_reading), "a directory that cannot be read is an error");
	ok(passes(fail_opening), "too many open files is told as what it is");
	ok(passes(fail_removing), "a file that may not go is told as such");
	ok(!remove_tree("unread"), "and without all that it is removed");
}

int main(void)
{
	(void)umask(022);
	scratch_enter();
	test_read();
	test_fill();
	test_put();
	test_mkdirs();
	test_remove();
	test_remove_odd_names();
	test_remove_closed();
	test_remove_deep();
	test_remove_mount();
	test_remove_errors();
	ok(scratch_leave(), "nothing is left behind");
	return tap_end();
}
