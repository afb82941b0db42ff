/* SPDX-License-Identifier: ISC */
/*
 * cgroup: where ours is, out of the kernel's texts; what is none is refused,
 * and what is another's is not removed
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"
#include "base/why.h"
#include "limit/cgroup-place.h"
#include "limit/cgroup.h"
#include "scratch.h"
#include "tap.h"

static char point[PATH_MAX], root[PATH_MAX];

static void finds_its_own(void)
{
	ok(!cgroup_own(span_of("4:memory:/x\n0::/user.slice/a b.scope\n"),
		       point) &&
		   !strcmp(point, "/user.slice/a b.scope"),
	   "its own among those of version 1");
	ok(!cgroup_own(span_of("0::/\n"), point) && !strcmp(point, "/"),
	   "the root");
	ok(cgroup_own(span_of("10::/x\n4:memory:0::/y\n"), point) == -ENOENT &&
		   cgroup_own(span_of(""), point) == -ENOENT,
	   "none where there is none");
}

static void finds_the_mount(void)
{
	ok(!cgroup_point(span_of("22 1 0:20 / /proc rw - proc proc rw\n"
				 "31 24 0:28 / /sys/fs/cgroup rw,nosuid "
				 "shared:9 master:2 - cgroup2 cgroup2 rw\n"),
			 point, root) &&
		   !strcmp(point, "/sys/fs/cgroup") && !strcmp(root, "/"),
	   "where it is mounted");
	ok(!cgroup_point(span_of("31 24 0:28 /../a\\040b /m\\134\\011x rw - "
				 "cgroup2 none rw\n"),
			 point, root) &&
		   !strcmp(point, "/m\\\tx") && !strcmp(root, "/../a b"),
	   "with blanks, and a part of it");
	ok(cgroup_point(span_of("31 24 0:28 / /c rw - cgroup c rw,cgroup2\n"
				"32 24 0:29 / /cgroup2 rw - tmpfs cgroup2 rw\n"
				"33 24\n\n"),
			point, root) == -ENOENT,
	   "and nothing else");
}

static void refuses_what_is_none(void)
{
	struct cgroup cgroup = CGROUP_CLOSED;
	struct why why = { 0 };
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ok(cgroup_take(&cgroup, fd, &why) == -EINVAL && cgroup.fd < 0 &&
		   strstr(why.text, "no directory of cgroup v2"),
	   "another directory");
	ok(cgroup_take(&cgroup, INT_MAX, &why) == -EBADF && cgroup.fd < 0,
	   "no descriptor");
	cgroup_close(&cgroup);
	ok(cgroup.fd < 0, "closes what is closed");
}

static void explains_a_birth(void)
{
	const struct cgroup none = CGROUP_CLOSED;
	const struct cgroup some = { .fd = 7, .above_fd = -1 };
	struct why why = { 0 };

	ok(cgroup_explain(&some, ENOSYS, &why) && strstr(why.text, "clone3"),
	   "a call that is not there");
	ok(cgroup_explain(&some, EBUSY, &why) &&
		   strstr(why.text, "children have controllers"),
	   "a cgroup that can have no processes");
	ok(cgroup_explain(&some, E2BIG, &why) && strstr(why.text, "5.7"),
	   "an old kernel");
	ok(!cgroup_explain(&some, EPERM, &why), "not what others refuse");
	ok(!cgroup_explain(&none, ENOSYS, &why), "not where there is none");
}

static bool is_there(const char *name)
{
	return !access(name, F_OK);
}

/* To rmdir(2) and flock(2) a directory is as good as a cgroup. */
static void sweeps_what_is_its_own(void)
{
	static const char *const others[] = { "chock-build",
					      "chock-0123456789abcde",
					      "chock-0123456789abcdef0",
					      "chock-0123456789abcdeF",
					      "shock-0123456789abcdef",
					      "chock-",
					      "chock-0123456789abcde.slice" };
	struct cgroup cgroup = { .fd = -1, .name = "chock-00000000000000ff" };
	size_t count = sizeof(others) / sizeof(*others);
	int lock_fd, left = 0;
	char name[64];
	size_t i;

	scratch_enter();
	cgroup.above_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (i = 0; i < count; i++)
		(void)mkdir(others[i], 0700);
	(void)mkdir(cgroup.name, 0700);
	for (i = 0; i < CGROUP_SWEEP_MAX + 5; i++) {
		(void)snprintf(name, sizeof(name), "chock-%016zx", i << 32);
		(void)mkdir(name, 0700);
	}
	lock_fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(lock_fd >= 0 && !flock(lock_fd, LOCK_EX), "locks one");
	cgroup_sweep(&cgroup);
	for (i = 0; i < CGROUP_SWEEP_MAX + 5; i++) {
		(void)snprintf(name, sizeof(name), "chock-%016zx", i << 32);
		left += is_there(name);
	}
	ok(left == 5, "as many of the dead at once as it may, and none alive");
	cgroup_sweep(&cgroup);
	ok(is_there(name) && !is_there("chock-0000000000000000"),
	   "the rest the next time, but what is locked");
	ok(is_there(cgroup.name), "not itself");
	for (i = 0, left = 0; i < count; i++)
		left += is_there(others[i]);
	ok(left == (int)count, "and nothing that others named");
	(void)close(lock_fd);
	(void)close(cgroup.above_fd);
	ok(scratch_leave(), "cleans up");
}

int main(void)
{
	sweeps_what_is_its_own();
	finds_its_own();
	finds_the_mount();
	refuses_what_is_none();
	explains_a_birth();
	return tap_end();
}
