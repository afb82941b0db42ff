/* SPDX-License-Identifier: ISC */
/* The log: a chain goes on from where it was, and half an anchor is none. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/why.h"
#include "log/anchor.h"
#include "log/chain.h"
#include "log/event.h"
#include "log/session.h"
#include "log/stamp.h"
#include "log/walk.h"
#include "unit/tap.h"

static bool stamps(uint64_t ms, const char *expected)
{
	char text[STAMP_LEN + 1];

	stamp_put(text, ms);
	return !strcmp(text, expected);
}

static void test_stamp(void)
{
	ok(stamps(0, "1970-01-01T00:00:00.000Z"), "time starts in 1970");
	ok(stamps(UINT64_C(951782399999), "2000-02-28T23:59:59.999Z") &&
		   stamps(UINT64_C(951782400000), "2000-02-29T00:00:00.000Z") &&
		   stamps(UINT64_C(951868800000), "2000-03-01T00:00:00.000Z"),
	   "2000 is a leap year");
	ok(stamps(UINT64_C(4107542399999), "2100-02-28T23:59:59.999Z") &&
		   stamps(UINT64_C(4107542400000), "2100-03-01T00:00:00.000Z"),
	   "2100 is not");
	ok(stamps(UINT64_C(1798761599999), "2026-12-31T23:59:59.999Z") &&
		   stamps(UINT64_C(1798761600000), "2027-01-01T00:00:00.000Z"),
	   "a year ends with its last millisecond");
	ok(stamps(STAMP_MS_MAX, "9999-12-31T23:59:59.999Z") &&
		   stamps(UINT64_MAX, "9999-12-31T23:59:59.999Z"),
	   "what four digits cannot say is cut");
}

static void test_session_id(void)
{
	char id[SESSION_ID_LEN + 1] = "";
	char other[SESSION_ID_LEN + 1] = "";
	struct why why = { 0 };
	uint64_t before = stamp_now();
	uint64_t ms = 0;

	ok(session_id_make(id, &why) == 0 && strlen(id) == SESSION_ID_LEN &&
		   session_id_make(other, &why) == 0 &&
		   strcmp(id + 10, other + 10) != 0,
	   "each session gets an id of its own");
	ok(session_id_started(&ms, span_of(id)) == 0 && ms >= before &&
		   ms <= stamp_now(),
	   "an id says when it was made");
	ok(session_id_started(&ms, span_of("00000000010000000000000000")) ==
			   0 &&
		   ms == 1 &&
		   session_id_started(
			   &ms, span_of("01ARYZ6S410000000000000000")) == 0 &&
		   ms == UINT64_C(1469918176385),
	   "its first ten digits are milliseconds");
	ok(session_id_started(&ms, span_of("0000000001000000000000000")) ==
			   -EINVAL &&
		   session_id_started(&ms,
				      span_of("0000000001000000000000000U")) ==
			   -EINVAL &&
		   session_id_started(&ms,
				      span_of("ZZZZZZZZZZ0000000000000000")) ==
			   -EINVAL,
	   "what is no id is refused");
}

static bool project_is(struct span path, const char *expected)
{
	autobuf struct buf name = { 0 };

	session_project(&name, path);
	return !strcmp(buf_str(&name), expected);
}

static void test_project(void)
{
	/* printf /home/u/app | sha256sum */
	ok(project_is(span_of("/home/u/app"), "app-2bf7c3a6"),
	   "a project is its base name and the hash of its path");
	ok(project_is(span_of("/a/.h \n\xff"), "_h___-dc7d305a"),
	   "bytes that are no plain ones are replaced");
	ok(project_is(span_of("/"), "root-8a5edab2"), "the root has a name");
}

static int memory(void)
{
	return memfd_create("anchor", MFD_CLOEXEC);
}

static int put(int fd, uint64_t count, char fill)
{
	char head[SHA256_HEX + 1] = "";
	struct why why = { 0 };

	memset(head, fill, SHA256_HEX);
	return anchor_write(fd, span_of("s\n\xff"), count, head, &why);
}

/* The count that the newest whole anchor has, or -1. */
static int64_t newest(int fd)
{
	autoanchor struct anchor anchor = { 0 };
	struct why why = { 0 };

	if (anchor_read(&anchor, fd, &why) != 1)
		return -1;
	return (int64_t)anchor.count;
}

static void test_anchor(void)
{
	int fd = memory();

	ok(newest(fd) == -1, "an empty file is no anchor");
	ok(put(fd, 1, 'a') == 0 && newest(fd) == 1, "an anchor is read back");
	ok(put(fd, 2, 'b') == 0 && newest(fd) == 2, "the newest one counts");
	ok(put(fd, 3, 'c') == 0 && newest(fd) == 3 &&
		   lseek(fd, 0, SEEK_END) == 2 * ANCHOR_SLOT,
	   "there are two, however many were written");
	(void)close(fd);
}

static void test_torn_anchor(void)
{
	int fd = memory();
	int next_fd = memory();
	char old[2 * ANCHOR_SLOT];
	char next[2 * ANCHOR_SLOT];
	char mixed[2 * ANCHOR_SLOT];
	bool right;
	size_t i;

	right = !put(fd, 8, 'a') && !put(fd, 9, 'b') &&
		pread(fd, old, sizeof(old), 0) == sizeof(old) &&
		pwrite(next_fd, old, sizeof(old), 0) == sizeof(old) &&
		!put(next_fd, 10, 'c') &&
		pread(next_fd, next, sizeof(next), 0) == sizeof(next);
	ok(right, "a third anchor replaces the first");
	for (i = 0; i <= ANCHOR_SLOT; i++) {
		memcpy(mixed, old, sizeof(mixed));
		memcpy(mixed, next, i);
		right &= pwrite(fd, mixed, sizeof(mixed), 0) == sizeof(mixed) &&
			 newest(fd) ==
				 (memcmp(mixed, next, sizeof(next)) ? 9 : 10);
	}
	ok(newest(fd) == 10, "it counts once all of it is there");
	ok(right, "whoever is killed while writing leaves the one before");
	(void)close(fd);
	(void)close(next_fd);
}

/* A log in a directory of its own. */
struct fixture {
	char dir[64];
	char path[80];
};

static void set_up(struct fixture *f)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(f->dir, sizeof(f->dir), "%s/chock-chain.XXXXXX",
		       tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	ok(mkdtemp(f->dir) != NULL, "a directory for the log");
	(void)snprintf(f->path, sizeof(f->path), "%s/s.jsonl", f->dir);
}

static void tear_down(const struct fixture *f)
{
	struct why why = { 0 };

	ok(file_remove_tree(AT_FDCWD, f->dir, &why) == 0, "no directory left");
}

static int open_chain(struct chain *chain, const struct fixture *f,
		      struct why *why)
{
	autologfile struct logfile file = LOGFILE_CLOSED;
	int r = logfile_create(&file, f->path, why);

	return r < 0 ? r : chain_open(chain, &file, span_of("s"), why);
}

static int add(struct chain *chain, struct why *why)
{
	struct event event = { .record = span_of(" { } "), .kind = "call" };

	return chain_add(chain, &event, why);
}

static void test_chain(const struct fixture *f)
{
	autochain struct chain chain = CHAIN_CLOSED;
	autochain struct chain other = CHAIN_CLOSED;
	struct why why = { 0 };
	char head[SHA256_HEX + 1];

	ok(open_chain(&chain, f, &why) == 0 && chain.count == 0,
	   "a log that was not there has no lines");
	ok(open_chain(&other, f, &why) == -EAGAIN, "a second one is refused");
	ok(add(&chain, &why) == 0 && add(&chain, &why) == 0 &&
		   chain.count == 2 && chain.at.count == 0,
	   "lines gather");
	ok(chain_commit(&chain, true, &why) == 0 && chain.at.count == 2,
	   "and are written together");
	memcpy(head, chain.head, sizeof(head));
	ok(add(&chain, &why) == 0, "a line that nobody commits");
	chain_close(&chain);
	ok(open_chain(&chain, f, &why) == 0 && chain.count == 2 &&
		   !strcmp(chain.head, head),
	   "is not there afterwards");
	ok(chain_finish(&chain, &why) == 0 && chain.anchored == 2,
	   "the end is anchored");
}

static void test_anchor_often(const struct fixture *f)
{
	autochain struct chain chain = CHAIN_CLOSED;
	struct why why = { 0 };
	int i;

	ok(open_chain(&chain, f, &why) == 0 && chain.anchored == 2,
	   "an anchor is found");
	for (i = 0; i < ANCHOR_EVERY - 1; i++)
		if (add(&chain, &why) < 0 ||
		    chain_commit(&chain, false, &why) < 0)
			break;
	ok(chain.count == 2 + ANCHOR_EVERY - 1 && chain.anchored == 2,
	   "one event less than are anchored leaves it");
	ok(add(&chain, &why) == 0 && chain_commit(&chain, false, &why) == 0 &&
		   chain.anchored == 2 + ANCHOR_EVERY && !chain.unsynced,
	   "the next one moves it, and all before it are on the disk");
}

/* A record of the largest size; @text is what it is in. */
static struct event largest(struct buf *text)
{
	static const char start[] = "{\"a\":\"";
	size_t i;

	buf_adds(text, start);
	for (i = text->len; i < CHAIN_RECORD_MAX - 2; i++)
		buf_addc(text, 'a');
	buf_adds(text, "\"}");
	return (struct event){ .record = buf_span(text), .kind = "call" };
}

static void test_full(const struct fixture *f)
{
	autochain struct chain chain = CHAIN_CLOSED;
	autobuf struct buf text = { 0 };
	struct event event = largest(&text);
	struct why why = { 0 };
	uint64_t before;
	int r = 0;

	ok(open_chain(&chain, f, &why) == 0, "a log is open");
	before = chain.count;
	while (!r)
		r = chain_add(&chain, &event, &why);
	ok(r == -ENOBUFS && chain.failed && chain.count > before,
	   "more at once than a buffer holds is an error");
	ok(chain.pending.data[chain.pending.len - 1] == '\n',
	   "of the event that did not fit nothing is left");
	(void)chain_finish(&chain, &why);
	chain_close(&chain);
	ok(open_chain(&chain, f, &why) == 0 && chain.count == before,
	   "and nothing of it is written at the end");
}

int main(void)
{
	struct fixture f;

	test_stamp();
	test_session_id();
	test_project();
	test_anchor();
	test_torn_anchor();
	set_up(&f);
	test_chain(&f);
	test_anchor_often(&f);
	test_full(&f);
	tear_down(&f);
	return tap_end();
}
