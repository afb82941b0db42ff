/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/why.h"
#include "cow/journal.h"
#include "tap.h"

static struct why why;

static int read_text(struct journal *journal, const char *text)
{
	autoclose int fd = memfd_create("journal", MFD_CLOEXEC);

	why = (struct why){ 0 };
	if (fd < 0 || file_write(fd, span_of(text)) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)
		return -EIO;
	return journal_read(journal, fd, &why);
}

static int try_text(const char *text)
{
	autojournal struct journal journal = { 0 };

	return read_text(&journal, text);
}

#define FIRST "chock-cow 1 1700000000 999999999\n"
#define SWAP(path) "swap clean 7 33188 8 33188 5 1600000000 1 " path "\n"
#define MODE(path) "mode clean 16877 9 16832 " path "\n"

static void what_is_printed_is_read_back(void)
{
	static const char text[] = FIRST MODE("d") SWAP("d/a%0Ab%25%FF%20c")
		SWAP("d-e") "swap changed 0 0 3 16877 0 18446744073709551615 "
			    "0 f\nend 4\n";
	autojournal struct journal journal = { 0 };
	autobuf struct buf again = { 0 };

	ok(!read_text(&journal, text), "a journal is read");
	ok(journal.count == 4 && journal.since.tv_sec == 1700000000 &&
		   journal.since.tv_nsec == 999999999,
	   "all of it, and its time");
	if (journal.count != 4)
		return;
	ok(!strcmp(journal.ops[1].path, "d/a\nb%\xff c"),
	   "a path holds any byte");
	ok(journal.ops[0].kind == JOURNAL_MODE &&
		   journal.ops[0].new_mode == 16877 &&
		   journal.ops[0].old.mode == 16832,
	   "a mode has both modes");
	ok(journal.ops[3].changed && !journal.ops[3].new_ino &&
		   journal.ops[3].old.mtime.tv_sec == -1,
	   "a time may be before 1970");
	journal_print(&again, &journal);
	ok(span_is(buf_span(&again), text), "it is printed as it was");
}

static void what_is_not_whole_is_refused(void)
{
	ok(try_text("") == -EBADMSG, "nothing");
	ok(try_text("chock-cow 2 1 1\nend 0\n") == -EBADMSG, "another version");
	ok(try_text(FIRST) == -EBADMSG, "no end");
	ok(try_text(FIRST SWAP("a")) == -EBADMSG, "no end behind a line");
	ok(try_text(FIRST SWAP("a") "end 2\n") == -EBADMSG, "a line missing");
	ok(try_text(FIRST SWAP("a") "end 1") == -EBADMSG, "a cut line");
	ok(try_text(FIRST SWAP("a") "end 1\nend 1\n") == -EBADMSG,
	   "more behind the end");
	ok(!try_text(FIRST "end 0\n"), "but no line at all is a journal");
}

static void what_leads_elsewhere_is_refused(void)
{
	static const char *const paths[] = {
		"/etc/passwd",
		"..",
		"../x",
		"a/../b",
		"./a",
		"a/.",
		"a//b",
		"a/",
		".chock-cow",
		".chock-cow/x",
		"",
		"a%00b",
		"a/.chock-cow",
		"a/.chock-cow/x",
		"a%2Fb",
		"a%2fb",
		"a%41",
		"a%4",
		"a%zz",
		"a\tb",
	};
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		autofree char *text =
			alloc_text(FIRST SWAP("%s") "end 1\n", paths[i]);
		autofree char *name = alloc_text("the path '%s'", paths[i]);

		ok(try_text(text) == -EBADMSG, name);
	}
	ok(!try_text(FIRST SWAP(".chock-cow2") "end 1\n") &&
		   !try_text(FIRST SWAP("a/.chock-cow2") "end 1\n") &&
		   !try_text(FIRST SWAP("..a") "end 1\n"),
	   "but names that are only like those are fine");
}

static void long_paths_are_refused(void)
{
	char name[300], path[4300] = "";
	autofree char *text = NULL;
	size_t i;

	memset(name, 'a', sizeof(name));
	name[256] = '\0';
	text = alloc_text(FIRST SWAP("%s") "end 1\n", name);
	ok(try_text(text) == -EBADMSG, "a name of 256 bytes");
	name[255] = '\0';
	free(text);
	text = alloc_text(FIRST SWAP("%s") "end 1\n", name);
	ok(!try_text(text), "one of 255 is fine");
	for (i = 0; i < 16; i++)
		(void)snprintf(path + i * 256, sizeof(path) - i * 256, "%s/",
			       name);
	free(text);
	text = alloc_text(FIRST SWAP("%sx") "end 1\n", path);
	ok(try_text(text) == -EBADMSG, "a path of 4097 bytes");
}

static void lines_are_in_order_and_apart(void)
{
	ok(try_text(FIRST SWAP("b") SWAP("a") "end 2\n") == -EBADMSG,
	   "paths out of order");
	ok(try_text(FIRST SWAP("a") SWAP("a") "end 2\n") == -EBADMSG,
	   "a path twice");
	ok(try_text(FIRST SWAP("a") SWAP("a/b") "end 2\n") == -EBADMSG,
	   "a path in what is swapped");
	ok(try_text(FIRST SWAP("a") MODE("a/b") SWAP("a/b/c") "end 3\n") ==
		   -EBADMSG,
	   "a mode in what is swapped");
	ok(!try_text(FIRST MODE("a") SWAP("a/b") SWAP("a-b") "end 3\n"),
	   "but one in a directory that stays is fine");
}

static void words_are_what_they_must_be(void)
{
	static const char *const lines[] = {
		"swap clean 0 0 0 0 0 0 0 a",
		"swap clean 7 33188 8 33188 5 1 1000000000 a",
		"swap clean 7 99999999 8 33188 5 1 1 a",
		"swap clean -7 33188 8 33188 5 1 1 a",
		"swap dirty 7 33188 8 33188 5 1 1 a",
		"swap clean 7 33188 8 33188 5 1 a",
		"swap  clean 7 33188 8 33188 5 1 1 a",
		"swap clean 18446744073709551616 33188 8 33188 5 1 1 a",
		"mode clean 16877 0 16877 a",
		"copy clean 7 33188 8 33188 5 1 1 a",
		"",
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		autofree char *text = alloc_text(FIRST "%s\nend 1\n", lines[i]);
		autofree char *name = alloc_text("the line '%s'", lines[i]);

		ok(try_text(text) == -EBADMSG, name);
	}
}

static void a_refusal_has_its_line(void)
{
	ok(try_text(FIRST SWAP("a") SWAP("../b") "end 2\n") == -EBADMSG &&
		   !strcmp(why.text,
			   "line 3: the path is none of the directory's"),
	   "the line is named, and what is wrong with it");
}

static void it_has_room_for_so_many(void)
{
	struct journal journal = { .count = JOURNAL_OPS_MAX };
	const struct journal_op op = { .kind = JOURNAL_MODE };

	ok(journal_add(&journal, &op) == -E2BIG, "it takes no more");
}

int main(void)
{
	it_has_room_for_so_many();
	what_is_printed_is_read_back();
	what_is_not_whole_is_refused();
	what_leads_elsewhere_is_refused();
	long_paths_are_refused();
	lines_are_in_order_and_apart();
	words_are_what_they_must_be();
	a_refusal_has_its_line();
	return tap_end();
}
