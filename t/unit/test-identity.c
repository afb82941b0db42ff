/* SPDX-License-Identifier: ISC */
/* A file is the same by another name, and no other is, nor what was it. */

#include <errno.h>
#include <stdint.h>
#include <time.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/identity.h"
#include "base/span.h"
#include "scratch.h"
#include "tap.h"

static int make(const char *path)
{
	autoclose int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : 0;
}

static int look(struct identity *identity, const char *path)
{
	autoclose int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : identity_of(identity, fd);
}

/* Files of one tick of the kernel's clock have one time of birth. */
static void next_tick(void)
{
	struct timespec then, now;

	clock_gettime(CLOCK_REALTIME_COARSE, &then);
	do
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
	while (now.tv_nsec == then.tv_nsec && now.tv_sec == then.tv_sec);
}

static void test_files(void)
{
	struct identity a, b, again;

	ok(!make("a") && !make("b") && !look(&a, "a") && !look(&b, "b"),
	   "is of a file that is open by O_PATH");
	ok(!identity_same(&a, &b), "tells two files apart");
	ok(!rename("a", "c") && !link("c", "d") && !look(&again, "d") &&
		   identity_same(&a, &again),
	   "is the same by another name");
	next_tick();
	ok(!unlink("c") && !unlink("d") && !make("a") && !look(&again, "a") &&
		   (!identity_same(&a, &again) || !a.sec),
	   "tells a file from one that was removed, also of its inode");
	ok(!symlink("a", "l") && !look(&b, "l") && !identity_same(&b, &again),
	   "is of a link itself");
	ok(identity_of(&a, -1) == -EBADF, "is of nothing that is not open");
}

static void test_text(void)
{
	static const char *const none[] = {
		"",
		"1",
		"1.2.3",
		"1.2.3.",
		".1.2.3",
		"1.2.3.4.",
		"1.2.3.4.5",
		"1.2.3.x",
		" 1.2.3.4",
		"1.2.3.-4",
		"1.2.3.18446744073709551616",
	};
	const struct identity most = { UINT64_MAX, UINT64_MAX, UINT64_MAX,
				       UINT64_MAX };
	struct identity back = { 0 };
	autobuf struct buf text = { 0 };
	size_t i, read = 0;

	identity_write(&most, &text);
	ok(!identity_read(&back, buf_span(&text)) &&
		   identity_same(&back, &most),
	   "comes back from its text");
	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		read += identity_read(&back, span_of(none[i])) != -EINVAL;
	ok(!read, "is not read from other text");
	ok(!identity_read(&back, span_of("1.2.3.4")) && back.dev == 1 &&
		   back.ino == 2 && back.sec == 3 && back.nsec == 4,
	   "has its numbers in this order");
}

int main(void)
{
	scratch_enter();
	test_files();
	test_text();
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
