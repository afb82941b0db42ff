/* SPDX-License-Identifier: ISC */
/* What is too deep is told by name, and nothing lands without it. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "cow/deferred.h"
#include "cow/node.h"
#include "scratch.h"
#include "tap.h"

#define BELOW "u/a/b/c"
#define DEPTH 2 /* directories that are gone into */

static bool set_descriptors(rlim_t count)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return false;
	files.rlim_cur = count;
	return !setrlimit(RLIMIT_NOFILE, &files);
}

/* With as many descriptors as it takes to go no deeper than DEPTH. */
static bool go_no_deeper(void)
{
	rlim_t count = 0;

	while (set_descriptors(count) && node_depth_max() < DEPTH)
		count++;
	return node_depth_max() == DEPTH;
}

static int add_line(void *context, const struct list_line *line)
{
	buf_addf(context, "%c %s\n", line->letter, line->path);
	return 0;
}

static void add_left(void *context, const char *path, const char *what)
{
	buf_addf(context, "%s: %s\n", path, what);
}

static bool lists(const struct cow *cow, int upper_fd, const char *want)
{
	autobuf struct buf text = { 0 };
	const struct deferred_tell tell = { .line = add_line,
					    .left_out = add_left,
					    .context = &text };
	struct why why = { 0 };

	return !deferred_list(cow, upper_fd, &tell, &why) &&
	       !strcmp(buf_str(&text), want);
}

static void nothing_lands_but_all(void)
{
	struct deferred_origin origin = { .dev = 0 };
	autocow struct cow cow = COW_CLOSED;
	autoclose int upper_fd = open("u", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct why why = { 0 };

	ok(upper_fd >= 0 && !deferred_begin(&origin, "p", &why),
	   "a directory has a layer");
	origin.owner = "session 1";
	ok(!deferred_take(&cow, "p", &origin, &why), "it is held");
	ok(go_no_deeper() &&
		   lists(&cow, upper_fd,
			 "A a\nA a/b\nA a/b/c\na/b/c: " NODE_TOO_DEEP "\n"),
	   "what is too deep is told");
	ok(deferred_land(&cow, upper_fd, &origin, &why) == COW_KEPT &&
		   why.errnum == ENAMETOOLONG &&
		   !strcmp(why.text, "'a/b/c' is a " NODE_TOO_DEEP),
	   "nothing lands then, and it is named");
	ok(!rmdir("p") && !mkdir("p", 0700), "nothing is left behind");
}

static void as_deep_as_it_is_it_lands(void)
{
	struct deferred_origin origin = { .dev = 0 };
	autocow struct cow cow = COW_CLOSED;
	autoclose int upper_fd = open("u", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct why why = { 0 };

	ok(set_descriptors(256) && !deferred_begin(&origin, "p", &why),
	   "with more descriptors it goes deeper");
	origin.owner = "session 1";
	ok(!deferred_take(&cow, "p", &origin, &why) &&
		   lists(&cow, upper_fd, "A a\nA a/b\nA a/b/c\nA a/b/c/d\n") &&
		   deferred_land(&cow, upper_fd, &origin, &why) == COW_DONE &&
		   !access("p/a/b/c/d", F_OK),
	   "then all of it lands");
}

int main(void)
{
	if (node_chmod(-1, "", 0) == -ENOSYS) {
		ok(true, "the kernel has no layers that are kept");
		return tap_end();
	}
	scratch_enter();
	ok(!mkdir("p", 0700) && !mkdir("u", 0700) && !mkdir("u/a", 0700) &&
		   !mkdir("u/a/b", 0700) && !mkdir(BELOW, 0700) &&
		   !mkdir(BELOW "/d", 0700),
	   "a layer has directories in directories");
	nothing_lands_but_all();
	as_deep_as_it_is_it_lands();
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
