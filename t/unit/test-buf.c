/* SPDX-License-Identifier: ISC */
/* A buffer grows, ends in a NUL, and says once that something did not fit. */

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "tap.h"

static void test_empty(void)
{
	struct buf b = { 0 };

	ok(!strcmp(buf_str(&b), "") && buf_span(&b).len == 0,
	   "an all-zero buffer is empty");
	buf_adds(&b, "");
	buf_adds(&b, NULL);
	ok(!b.data && !b.full, "adding nothing allocates nothing");
	buf_reset(&b);
	buf_drop(&b);
	ok(!b.data, "an empty buffer can be reset and dropped");
}

static void test_adding(void)
{
	autobuf struct buf b = { 0 };
	size_t i;

	buf_adds(&b, "one");
	buf_addc(&b, '\0');
	buf_addf(&b, "%d-%s", 22, "x");
	ok(b.len == 8 && !memcmp(b.data, "one\00022-x", 9),
	   "bytes stand one behind the other, NUL included, and one NUL more");
	for (i = b.len; i < 1000; i++)
		buf_addc(&b, 'a');
	ok(b.len == 1000 && b.data[999] == 'a' && !b.data[1000] &&
		   b.room > 1000,
	   "a buffer grows and stays terminated");
	buf_reset(&b);
	ok(b.len == 0 && b.room > 1000 && !*buf_str(&b),
	   "a reset buffer is empty and keeps its memory");
}

static void test_plain(void)
{
	autobuf struct buf b = { 0 };

	buf_adds(&b, "it: ");
	buf_add_plain(&b, (struct span){ "a\0\033[m \177~\303\274", 10 });
	ok(!strcmp(buf_str(&b), "it: a??[m ?~??"),
	   "plain text is printable ASCII, each other byte a question mark");
}

static void test_full(void)
{
	autobuf struct buf b = { 0 };

	ok(buf_grow(&b, BUF_MAX), "a buffer has room for BUF_MAX bytes");
	memset(b.data, 'x', BUF_MAX - 1);
	b.len = BUF_MAX - 1;
	buf_adds(&b, "yz");
	ok(b.full && b.len == BUF_MAX - 1,
	   "what would exceed BUF_MAX is left out whole");
	buf_addc(&b, 'y');
	ok(b.full && b.len == BUF_MAX - 1, "a full buffer takes nothing more");
	buf_reset(&b);
	buf_addc(&b, 'y');
	ok(!b.full && b.len == 1, "a reset buffer is not full");
}

static void test_drop_keeps_errno(void)
{
	struct buf b = { 0 };

	buf_adds(&b, "x");
	errno = EXDEV;
	buf_drop(&b);
	ok(errno == EXDEV && !b.data && !b.len && !b.room,
	   "a dropped buffer is as good as new, and errno is kept");
}

int main(void)
{
	test_empty();
	test_adding();
	test_plain();
	test_full();
	test_drop_keeps_errno();
	return tap_end();
}
