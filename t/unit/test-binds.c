/* SPDX-License-Identifier: ISC */
/* What is carried into a copy comes back as a layer of what differs. */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/span.h"
#include "base/why.h"
#include "cow/descend.h"
#include "cow/node.h"
#include "scratch.h"
#include "tap.h"
#include "workspace/binds.h"

/*
 *	p/     the project: f, d/one, d/two, d/in/deep, and links out of it
 *	c/     the copy
 *	u/     the layer
 */
static int p_fd = -1, c_fd = -1, u_fd = -1;
static struct why why;

static int put(int dir_fd, const char *path, const char *text)
{
	autoclose int fd = openat(
		dir_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

	return fd < 0 ? -errno : file_write(fd, span_of(text));
}

static bool has(int dir_fd, const char *path, const char *text)
{
	autobuf struct buf bytes = { 0 };
	struct why lost = { 0 };

	return !file_read_path(&bytes, dir_fd, path, 100, &lost) &&
	       span_is(buf_span(&bytes), text);
}

static bool is_there(int dir_fd, const char *path)
{
	struct stat st;

	return !fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW);
}

static bool is_removal(int dir_fd, const char *path)
{
	struct stat st;

	return !fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW) &&
	       node_is_whiteout(&st);
}

static int fresh(const char *name)
{
	struct why lost = { 0 };

	if (file_remove_tree(AT_FDCWD, name, &lost) < 0 ||
	    mkdir(name, 0700) < 0)
		return -1;
	return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* All of it anew; whether that went. */
static bool begin(void)
{
	auto_close(&p_fd);
	auto_close(&c_fd);
	auto_close(&u_fd);
	p_fd = fresh("p");
	c_fd = fresh("c");
	u_fd = fresh("u");
	why = (struct why){ 0 };
	return p_fd >= 0 && c_fd >= 0 && u_fd >= 0 && !put(p_fd, "f", "f") &&
	       !mkdirat(p_fd, "d", 0750) && !mkdirat(p_fd, "d/in", 0700) &&
	       !put(p_fd, "d/one", "1") && !put(p_fd, "d/two", "2") &&
	       !put(p_fd, "d/in/deep", "3") && !symlinkat("d", p_fd, "l");
}

/* Carries @path in, with a note. */
static bool carry(const char *path, struct buf *note)
{
	static const struct binds_hidden none = { 0 };

	return !binds_copy(p_fd, c_fd, path, &none, &why) &&
	       !binds_note(note, c_fd, path, &why);
}

static bool is_hidden(void *context, const char *path)
{
	(void)context;
	return !strcmp(path, "d/in/secret");
}

static int gather(const struct buf *note)
{
	const struct binds_hidden hidden = { .skips = is_hidden };
	const struct binds_sides sides = { u_fd, c_fd, p_fd, &hidden };

	return binds_gather(&sides, buf_span(note), &why);
}

static void test_judge(void)
{
	struct binds_judged f, d, again;

	ok(begin() && !binds_judge(&f, p_fd, "f", &why) &&
		   S_ISREG(f.st.st_mode) &&
		   !binds_judge(&d, p_fd, "d/in", &why) &&
		   S_ISDIR(d.st.st_mode) && !identity_same(&f.is, &d.is),
	   "judges a file and a directory, and says which it is");
	ok(!renameat(p_fd, "f", p_fd, "g") && !put(p_fd, "f", "other") &&
		   !binds_judge(&again, p_fd, "f", &why) &&
		   !identity_same(&f.is, &again.is) &&
		   !binds_judge(&again, p_fd, "g", &why) &&
		   identity_same(&f.is, &again.is),
	   "tells a file from what is in its place");
	ok(binds_judge(&f, p_fd, "l", &why) == -ELOOP &&
		   binds_judge(&f, p_fd, "l/one", &why) == -ELOOP,
	   "follows no link, at the end or on the way");
	ok(binds_judge(&f, p_fd, "x", &why) == -ENOENT &&
		   binds_judge(&f, p_fd, "../x/f", &why) == -EXDEV,
	   "finds nothing that is not there, or elsewhere");
	ok(!mkfifoat(p_fd, "fifo", 0600) &&
		   binds_judge(&f, p_fd, "fifo", &why) == -EINVAL,
	   "takes neither FIFO nor socket nor device");
}

struct seen {
	struct buf paths;
	const char *not_below;
};

static int see(void *context, const struct descend *at, const struct stat *st)
{
	struct seen *seen = context;

	(void)st;
	buf_addf(&seen->paths, "%s ", at->path);
	return seen->not_below && !strcmp(at->path, seen->not_below);
}

static int stop(void *context, const struct descend *at, const struct stat *st)
{
	(void)context;
	(void)at;
	(void)st;
	return -ESRCH;
}

static void test_look(void)
{
	struct seen seen = { 0 };

	ok(begin() && !descend_below(p_fd, see, &seen) &&
		   span_is(buf_span(&seen.paths),
			   "d d/in d/in/deep d/one d/two f l "),
	   "tells of all that is below, by paths from the top");
	buf_reset(&seen.paths);
	seen.not_below = "d";
	ok(!descend_below(p_fd, see, &seen) &&
		   span_is(buf_span(&seen.paths), "d f l "),
	   "goes into nothing that it is told not to");
	ok(descend_below(p_fd, stop, NULL) == -ESRCH,
	   "ends when it is told to");
	buf_drop(&seen.paths);
}

static bool skips(void *context, const char *path)
{
	return !strcmp(path, context);
}

static void test_copy(void)
{
	static char two[] = "d/two";
	const struct binds_hidden hidden = { skips, two };
	struct binds_size size = { 0 };
	struct stat st;

	ok(begin() && !binds_copy(p_fd, c_fd, "d", &hidden, &why) &&
		   has(c_fd, "d/one", "1") && has(c_fd, "d/in/deep", "3") &&
		   !is_there(c_fd, "d/two"),
	   "copies a directory without what is hidden");
	ok(!fstatat(c_fd, "d", &st, 0) && (st.st_mode & 0777) == 0750 &&
		   !fstatat(c_fd, "d/one", &st, 0) &&
		   (st.st_mode & 0777) == 0640,
	   "keeps the modes");
	ok(binds_copy(p_fd, c_fd, "d", &hidden, &why) == -EEXIST,
	   "copies over nothing");
	ok(binds_hides(p_fd, "d", &hidden) && !binds_hides(p_fd, "f", &hidden),
	   "tells what has something hidden");
	ok(!binds_measure(&size, p_fd, "d", &why) && size.names == 5 &&
		   size.bytes == 3,
	   "counts names and bytes");
	ok(!binds_place(p_fd, c_fd, "f", S_IFREG, &why) && has(c_fd, "f", "") &&
		   !binds_place(p_fd, c_fd, "d", S_IFDIR, &why),
	   "makes a place, and leaves one that is there");
}

/* What it takes to be at each limit is put in before. */
static void test_limits(void)
{
	struct binds_size size = { .names = BINDS_NAMES_MAX - 5 };
	autobuf struct buf note = { 0 };
	size_t len;

	ok(begin() && !binds_measure(&size, p_fd, "d", &why) &&
		   size.names == BINDS_NAMES_MAX,
	   "takes as many names as there may be");
	ok(binds_measure(&size, p_fd, "f", &why) == -E2BIG &&
		   strstr(why.text, "'f': it has more than 400000 files"),
	   "takes no more names, and says how many there may be");
	ok(begin() && carry("d", &note), "carries");
	len = note.len;
	buf_reset(&note);
	while (note.len < BINDS_NOTE_MAX - len)
		buf_addc(&note, 'x');
	ok(!binds_note(&note, c_fd, "d", &why) && note.len == BINDS_NOTE_MAX,
	   "notes as much as there may be");
	ok(binds_note(&note, c_fd, "d", &why) == -E2BIG &&
		   strstr(why.text, "takes more than 48 MiB"),
	   "notes no more, and says how much there may be");
}

static void test_gather(void)
{
	autobuf struct buf note = { 0 };

	ok(begin() && carry("d", &note) && carry("f", &note) &&
		   gather(&note) == 0 && !is_there(u_fd, "d"),
	   "gathers nothing where nothing differs");
	ok(!put(c_fd, "d/one", "new") && !put(c_fd, "d/in/new", "new") &&
		   !unlinkat(c_fd, "d/two", 0) && !put(c_fd, "beside", "x") &&
		   gather(&note) == 3,
	   "counts what was changed, made and removed");
	ok(has(u_fd, "d/one", "new") && has(u_fd, "d/in/new", "new") &&
		   is_removal(u_fd, "d/two") && !is_there(u_fd, "d/in/deep") &&
		   !is_there(u_fd, "f") && !is_there(u_fd, "beside"),
	   "has that in the layer, and nothing that was not carried");
}

static void test_gather_shapes(void)
{
	autobuf struct buf note = { 0 };
	struct why lost = { 0 };

	ok(begin() && carry("d", &note) && carry("f", &note) &&
		   !unlinkat(c_fd, "f", 0) && !mkdirat(c_fd, "f", 0700) &&
		   !put(c_fd, "f/in", "x") &&
		   !file_remove_tree(c_fd, "d", &lost) &&
		   !put(c_fd, "d", "file") && gather(&note) == 2 &&
		   has(u_fd, "f/in", "x") && has(u_fd, "d", "file"),
	   "takes a directory that became a file, and the reverse, whole");
	buf_reset(&note);
	ok(begin() && carry("d", &note) && !fchmodat(c_fd, "d/in", 0, 0) &&
		   !put(c_fd, "d/two", "new") && gather(&note) == 1,
	   "reads what a session made unreadable");
	ok(!fchmodat(c_fd, "d/in", 0700, 0), "and it can be removed");
	buf_reset(&note);
	ok(begin() && carry("d", &note) && !put(c_fd, "d/in/deep", "new") &&
		   !file_remove_tree(p_fd, "d", &lost) &&
		   gather(&note) == -ESTALE,
	   "refuses to bring back what is gone from the project");
}

static int tell(void *context, char status, const char *path)
{
	buf_addf(context, "%c %s ", status, path);
	return 0;
}

static void test_differ(void)
{
	autobuf struct buf note = { 0 };
	autobuf struct buf told = { 0 };
	struct why lost = { 0 };

	ok(begin() && carry("d", &note) && carry("f", &note) &&
		   !binds_differ(c_fd, buf_span(&note), tell, &told, &why) &&
		   !told.len,
	   "tells of nothing where nothing differs");
	ok(!put(c_fd, "d/one", "new") && !unlinkat(c_fd, "f", 0) &&
		   !mkdirat(c_fd, "d/new", 0700) &&
		   !put(c_fd, "d/new/f", "new") &&
		   !file_remove_tree(p_fd, "d", &lost) &&
		   !binds_differ(c_fd, buf_span(&note), tell, &told, &why),
	   "tells of what differs, whatever became of the project");
	ok(strstr(buf_str(&told), "M d/one ") &&
		   strstr(buf_str(&told), "A d/new/f ") &&
		   strstr(buf_str(&told), "D f ") && told.len == 22,
	   "tells of files alone, and of how");
	buf_reset(&note);
	ok(begin() && carry("d", &note) && !unlinkat(c_fd, "d/in/deep", 0) &&
		   !file_remove_tree(p_fd, "d/in", &lost) &&
		   gather(&note) == 0 && !is_there(u_fd, "d/in"),
	   "gathers no removal of what is gone from the project");
}

static void test_hidden(void)
{
	autobuf struct buf note = { 0 };

	ok(begin() && carry("d", &note) && !put(c_fd, "d/in/secret", "new") &&
		   gather(&note) == -EPERM && strstr(why.text, "'d/in/secret'"),
	   "refuses to bring back what was made at a hidden path");
	buf_reset(&note);
	ok(begin() && carry("d", &note) && !put(p_fd, "d/in/secret", "old") &&
		   !file_remove_tree(c_fd, "d/in", &why) &&
		   gather(&note) == -EPERM,
	   "refuses to remove the directory of a hidden file");
	buf_reset(&note);
	ok(begin() && carry("d", &note) && !put(p_fd, "d/in/secret", "old") &&
		   !file_remove_tree(c_fd, "d", &why) &&
		   !put(c_fd, "d", "file") && gather(&note) == -EPERM,
	   "refuses to put a file in its place");
	buf_reset(&note);
	ok(begin() && carry("f", &note) && !file_remove_tree(p_fd, "d", &why) &&
		   !put(c_fd, "f", "new") && gather(&note) == 1,
	   "brings back what has nothing hidden in it");
	buf_reset(&note);
	ok(begin() && carry("d", &note) && !put(p_fd, "d/in/secret", "old") &&
		   !put(c_fd, "d/in/deep", "new") && gather(&note) == 1,
	   "brings back what is beside a hidden file");
}

static void test_notes(void)
{
	static const struct span bad[] = {
		{ "x", 1 },
		{ "", 1 },
		{ "- 100644 1 1.2", 15 },
		{ "- 100644 1 1.2 ", 16 },
		{ "- 100644 1 1.2 f", 16 },
	};
	const struct binds_hidden hidden = { .skips = is_hidden };
	const struct binds_sides sides = { u_fd, c_fd, p_fd, &hidden };
	size_t i, taken = 0;

	ok(begin(), "begins");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		taken += binds_gather(&sides, bad[i], &why) != -EBADMSG;
	ok(!taken, "takes nothing for a note that is none");
}

int main(void)
{
	scratch_enter();
	test_judge();
	test_look();
	test_copy();
	test_limits();
	test_gather();
	test_gather_shapes();
	test_differ();
	test_hidden();
	test_notes();
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
