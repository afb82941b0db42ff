/* SPDX-License-Identifier: ISC */
/* Input comes a line at a time, whole or as an error, and is bounded. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/line.h"
#include "base/why.h"
#include "tap.h"

/* A file with @text, then @count times @fill, then @end; read from the top. */
static int input(const char *text, char fill, size_t count, const char *end)
{
	autobuf struct buf bytes = { 0 };
	int fd = memfd_create("input", MFD_CLOEXEC);
	size_t i;

	buf_adds(&bytes, text);
	for (i = 0; i < count; i++)
		buf_addc(&bytes, fill);
	buf_adds(&bytes, end);
	if (fd < 0 || bytes.full || file_write(fd, buf_span(&bytes)) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	return fd;
}

static int next(struct lines *lines, struct span *line, struct why *why)
{
	*line = (struct span){ NULL, 0 };
	*why = (struct why){ 0 };
	return lines_next(lines, line, why);
}

static void test_lines(void)
{
	autoclose int fd = input("one\n\ntw", 'o', 1, "\n");
	autolines struct lines lines = { .fd = fd };
	struct why why;
	struct span line;

	ok(next(&lines, &line, &why) == 1 && span_is(line, "one") &&
		   lines.number == 1,
	   "a line comes without its newline, with its number");
	ok(lines_pending(&lines), "a line at hand is known to be there");
	ok(next(&lines, &line, &why) == 1 && line.len == 0 && lines.number == 2,
	   "an empty line is a line");
	ok(next(&lines, &line, &why) == 1 && span_is(line, "two"),
	   "the last line comes too");
	ok(!lines_pending(&lines), "behind the last one no line is at hand");
	ok(next(&lines, &line, &why) == 0 && next(&lines, &line, &why) == 0,
	   "the end is the end, as often as one asks");
}

static void test_cut(void)
{
	autoclose int fd = input("one\n{\"id\":", '1', 1, "");
	autolines struct lines lines = { .fd = fd };
	struct why why;
	struct span line;

	ok(next(&lines, &line, &why) == 1, "a line before a cut one comes");
	ok(next(&lines, &line, &why) == -EBADMSG &&
		   !strcmp(why.text, "line 2: the input ends within it"),
	   "a line that the end cuts off is an error");
	ok(next(&lines, &line, &why) == 0, "and then it is the end");
}

static void test_longest(void)
{
	autoclose int fd = input("", 'x', LINE_MAX_LEN, "\ny\n");
	autolines struct lines lines = { .fd = fd };
	struct why why;
	struct span line;

	ok(next(&lines, &line, &why) == 1 && line.len == LINE_MAX_LEN,
	   "a line of LINE_MAX_LEN bytes comes");
	ok(next(&lines, &line, &why) == 1 && span_is(line, "y"),
	   "and so does the one behind it");
}

static void test_too_long(size_t len, const char *name)
{
	autoclose int fd = input("a\n", 'x', len, "\ny\n");
	autolines struct lines lines = { .fd = fd };
	struct why why;
	struct span line;
	int first = next(&lines, &line, &why);
	int second = next(&lines, &line, &why);

	ok(first == 1 && second == -EFBIG && lines.number == 2 &&
		   !strcmp(why.text, "line 2: longer than 1048576 bytes"),
	   name);
	ok(next(&lines, &line, &why) == 1 && span_is(line, "y") &&
		   lines.number == 3,
	   "the line behind it comes, with the right number");
	ok(next(&lines, &line, &why) == 0, "then the end");
}

static void test_too_long_and_cut(void)
{
	autoclose int fd = input("", 'x', 3 * LINE_MAX_LEN, "");
	autolines struct lines lines = { .fd = fd };
	struct why why;
	struct span line;

	ok(next(&lines, &line, &why) == -EBADMSG && lines.number == 1,
	   "a long line that the end cuts off is one error");
	ok(lines.held.room < 2 * LINE_MAX_LEN + 1,
	   "and was never held as a whole");
	ok(next(&lines, &line, &why) == 0, "then the end");
}

static void test_bytes(void)
{
	autoclose int fd = -1;
	struct lines lines;
	struct why why;
	struct span line;
	static const char bytes[] = "a\0\xff\n";
	int ends[2];
	size_t i;

	if (pipe(ends) < 0)
		return;
	fd = ends[0];
	lines_init(&lines, fd);
	for (i = 0; i < 4; i++)
		(void)file_write(ends[1], (struct span){ &bytes[i], 1 });
	(void)close(ends[1]);
	ok(next(&lines, &line, &why) == 1 && line.len == 3 &&
		   !memcmp(line.data, "a\0\xff", 3),
	   "a line may hold any byte");
	lines_drop(&lines);
	ok(lines.fd == fd && !lines.held.data,
	   "dropping keeps the descriptor and releases the memory");
}

static void test_unreadable(void)
{
	autolines struct lines lines = { .fd = -1 };
	struct why why;
	struct span line;

	ok(next(&lines, &line, &why) == -EBADF &&
		   strstr(why.text, "cannot read the input"),
	   "an input that cannot be read is an error");
}

int main(void)
{
	test_lines();
	test_cut();
	test_longest();
	test_too_long(LINE_MAX_LEN + 1, "one byte more is too long");
	test_too_long(3 * LINE_MAX_LEN + 7, "and so is a much longer line");
	test_too_long_and_cut();
	test_bytes();
	test_unreadable();
	return tap_end();
}
