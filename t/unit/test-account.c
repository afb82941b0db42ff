/* SPDX-License-Identifier: ISC */
/* A user without a row gets one, and nobody else's rows change. */

#include <string.h>

#include "base/auto.h"
#include "base/span.h"
#include "scratch.h"
#include "tap.h"
#include "tree/account.h"

static struct account account = { 4242, 4343, "ada", "/home" };
static struct buf text;

static int write_file(const char *name, struct span bytes)
{
	autoclose int fd =
		open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : file_write(fd, bytes);
}

static bool passwd_of(const char *rows)
{
	buf_reset(&text);
	return !write_file("passwd", span_of(rows)) &&
	       account_passwd(&text, "passwd", &account);
}

static bool group_of(const char *rows)
{
	buf_reset(&text);
	return !write_file("group", span_of(rows)) &&
	       account_group(&text, "group", &account);
}

static bool reads(const char *rows)
{
	return span_is(buf_span(&text), rows);
}

static void try_rows(void)
{
	ok(passwd_of("root:x:0:0::/root:/bin/sh\n") &&
		   reads("root:x:0:0::/root:/bin/sh\n"
			 "ada:x:4242:4343::/home:/bin/sh\n"),
	   "a row is put behind the others");
	ok(passwd_of("root:x:0:0::/root:/bin/sh") &&
		   reads("root:x:0:0::/root:/bin/sh\n"
			 "ada:x:4242:4343::/home:/bin/sh\n"),
	   "also where the last line has no end");
	ok(passwd_of("") && reads("ada:x:4242:4343::/home:/bin/sh\n"),
	   "an empty file gets one");
	ok(!passwd_of("a:x:1:1::/:/\nx:x:4242:9::/:/\n"),
	   "who has a row keeps it, whatever the name");
	ok(passwd_of("4242:4242:1:4242:4242:/:\nb:x:42420:1:::\n"),
	   "an id is the third field, whole");
	ok(group_of("root:x:0:\nb:x:4242:\n") &&
		   reads("root:x:0:\nb:x:4242:\nada:x:4343:\n"),
	   "a group is told by its own id");
	ok(!group_of("staff:x:4343:ada\n"), "and keeps its name");
}

static void try_names(void)
{
	static const char *const bad[] = {
		"",
		"a:b",
		"a\nb",
		"Root",
		"-a",
		"0a",
		"abcdefghijklmnopqrstuvwxyz0123456",
	};
	size_t i, good = 0;

	ok(passwd_of("ada:x:1:1::/:/\n") &&
		   reads("ada:x:1:1::/:/\nuid4242:x:4242:4343::/home:/bin/sh\n"),
	   "a name that is taken is not given twice");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		account.name = bad[i];
		good += passwd_of("") &&
			reads("uid4242:x:4242:4343::/home:/bin/sh\n");
	}
	ok(good == i, "what is no name of useradd(8) is none in a row");
	account.name = NULL;
	ok(group_of("") && reads("gid4343:x:4343:\n"), "nor is no name");
}

static void try_bounds(void)
{
	autobuf struct buf long_rows = { 0 };

	while (long_rows.len < ACCOUNT_BYTES_MAX - 1)
		buf_addc(&long_rows, '#');
	buf_addc(&long_rows, '\n');
	buf_reset(&text);
	ok(!write_file("long", buf_span(&long_rows)) &&
		   account_group(&text, "long", &account),
	   "a file as long as the bound gets a row");
	buf_addc(&long_rows, '\n');
	buf_reset(&text);
	ok(!write_file("long", buf_span(&long_rows)) &&
		   !account_group(&text, "long", &account),
	   "a longer one is shown as it is");
	buf_reset(&text);
	ok(!account_passwd(&text, "none", &account), "and so is none");
}

int main(void)
{
	scratch_enter();
	try_rows();
	try_names();
	try_bounds();
	buf_drop(&text);
	ok(scratch_leave(), "what it made is removed");
	return tap_end();
}
