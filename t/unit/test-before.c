/* SPDX-License-Identifier: ISC */
/* All names are written down, or every path counts as there. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "cow/before.h"
#include "scratch.h"
#include "tap.h"

static bool put(const char *path, struct span bytes)
{
	autoclose int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd >= 0 && !file_write(fd, bytes);
}

/* Whether @path counts as there by what the file @list has. */
static bool has(const char *list, const char *path)
{
	autobefore struct before before = { .path = list };
	const bool first = before_has(&before, path);

	return first && before_has(&before, path);
}

static void all_names_are_written_down(void)
{
	autobuf struct buf names = { 0 };

	ok(!mkdir("p", 0700) && !mkdir("p/d", 0700) &&
		   put("p/d/new\nline", (struct span){ 0 }) &&
		   !symlink("d", "p/l") && !before_list(&names, "p"),
	   "a directory is listed");
	ok(names.len == sizeof("d\0d/new\nline\0l"),
	   "each name once, with a NUL behind it");
	ok(put("list", buf_span(&names)) && has("list", "d") &&
		   has("list", "d/new\nline") && has("list", "l"),
	   "what was there is");
	ok(!has("list", "e") && !has("list", "d/new") && !has("list", "l/x") &&
		   !has("list", ""),
	   "what was not is not");
	ok(before_list(&names, "none") == -ENOENT &&
		   before_list(&names, "list") == -ENOTDIR,
	   "what is no directory has no names");
}

static void what_is_not_known_counts_as_there(void)
{
	static const char cut[] = { 'd', '\0', 'd', '/', 'x' };
	autobuf struct buf names = { 0 };
	struct before before = { .path = NULL };

	ok(has("none", "x"), "without a list");
	ok(has(NULL, "x"), "without a path of one");
	ok(put("cut", (struct span){ cut, sizeof(cut) }) && has("cut", "x"),
	   "of a list that was cut off");
	ok(put("empty", (struct span){ 0 }) && !has("empty", "x"),
	   "an empty directory has no names, and is known");
	while (names.len <= BEFORE_BYTES_MAX)
		buf_add(&names, (struct span){ "0123456789abcde", 16 });
	ok(put("long", buf_span(&names)) && has("long", "x"),
	   "of a longer list than is written down");
	ok(before_list(&names, "p") == -E2BIG, "which is not made");
	before = (struct before){ .path = "list" };
	ok(!before_has(&before, "x"), "one is read");
	before_drop(&before);
	ok(before_has(&before, "x"), "and good as new, without a path");
	before_drop(&before);
}

int main(void)
{
	scratch_enter();
	all_names_are_written_down();
	what_is_not_known_counts_as_there();
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
