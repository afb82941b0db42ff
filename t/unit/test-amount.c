/* SPDX-License-Identifier: ISC */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amount.h"
#include "scratch.h"
#include "tap.h"

#define BIG ((size_t)256 << 10)

static bool put_file(const char *path, size_t len)
{
	static char bytes[BIG];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool put;

	memset(bytes, 'x', sizeof(bytes));
	put = fd >= 0 && write(fd, bytes, len) == (ssize_t)len && !fsync(fd);
	return fd >= 0 && !close(fd) && put;
}

static void a_tree_takes_what_is_in_it(void)
{
	struct amount amount;

	ok(!mkdir("tree", 0700) && amount_of("tree").empty, "an empty one");
	ok(put_file("tree/f", BIG) && put_file("out", BIG), "files");
	amount = amount_of("tree");
	ok(!amount.empty && !amount.opaque && amount.bytes >= BIG,
	   "the blocks of what is in it");
	ok(amount_of("out").bytes >= BIG && !amount_of("out").empty, "a file");
	ok(!symlink("../out", "tree/l") &&
		   amount_of("tree").bytes < amount.bytes + BIG,
	   "no link is followed");
}

static void what_cannot_be_looked_into_is_said(void)
{
	ok(amount_of("nothing").opaque, "nothing");
	ok(!mkdir("tree/closed", 0) && amount_of("tree").opaque,
	   "a directory of the mode 0");
	ok(!amount_of("tree").empty, "and it is no empty one");
}

int main(void)
{
	scratch_enter();
	a_tree_takes_what_is_in_it();
	what_cannot_be_looked_into_is_said();
	ok(scratch_leave(), "what was made is gone");
	return tap_end();
}
