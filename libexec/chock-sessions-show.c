/* SPDX-License-Identifier: ISC */
/*
 * chock-sessions - the part that shows them: a row each, or the events of one
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/line.h"
#include "base/report.h"
#include "base/rough.h"
#include "base/why.h"
#include "chock-sessions.h"
#include "confine/self.h"
#include "log/logfile.h"
#include "log/stamp.h"
#include "record/json.h"
#include "record/record.h"
#include "workspace/quote.h"

/* That a session is over no event tells where it was killed; milliseconds. */
#define FOLLOW_EVERY 500

/* Of a column, in bytes. */
#define KIND_WIDTH 20

/* ---- a row -------------------------------------------------------------- */

static void add_end(struct buf *text, const struct logged *logged)
{
	const struct tally *tally = &logged->tally;

	if (logged->running)
		buf_adds(text, "runs");
	else if (!tally->how.len)
		buf_adds(text, "was cut off");
	else
		buf_addf(text, "ended with status %lld",
			 (long long)tally->exit);
}

static void add_count(struct buf *text, uint64_t count, const char *what,
		      const char *ending)
{
	buf_addf(text, ", %llu %s%s", (unsigned long long)count, what, ending);
}

void logged_row(struct buf *text, const struct logged *logged)
{
	const struct tally *tally = &logged->tally;
	const uint64_t started = logged->started / 1000;
	const uint64_t now = stamp_now() / 1000;
	autobuf struct buf age = { 0 };

	rough_age(&age, now > started ? now - started : 0);
	buf_addf(text, "%s %5s  ", logged->id, buf_str(&age));
	quote_line(text, tally->project.len ? buf_span(&tally->project)
					    : span_of("(no project)"));
	buf_adds(text, "  ");
	add_end(text, logged);
	add_count(text, tally->calls, "call", rough_plural(tally->calls));
	add_count(text, tally->asked, "asked", "");
	add_count(text, tally->denied + tally->refused, "denied", "");
	add_count(text, tally->files, "file", rough_plural(tally->files));
	if (logged->kept)
		buf_adds(text, "; its workspace is kept");
	buf_addc(text, '\n');
}

void logged_record(struct buf *text, const struct logged *logged)
{
	const struct tally *tally = &logged->tally;
	char started[STAMP_LEN + 1];

	stamp_put(started, logged->started);
	json_open(text);
	json_str(text, "session", span_of(logged->id));
	json_str(text, "started", span_of(started));
	if (tally->project.len)
		json_str(text, "project", buf_span(&tally->project));
	json_str(text, "log", span_of(logged->log));
	json_bool(text, "running", logged->running);
	json_bool(text, "kept", logged->kept);
	if (tally->how.len && !logged->running) {
		json_num(text, "exit", tally->exit);
		json_str(text, "how", buf_span(&tally->how));
	}
	json_num(text, "events", (int64_t)tally->events);
	json_num(text, "calls", (int64_t)tally->calls);
	json_num(text, "asked", (int64_t)tally->asked);
	json_num(text, "denied", (int64_t)tally->denied);
	json_num(text, "refused", (int64_t)tally->refused);
	json_num(text, "files", (int64_t)tally->files);
	json_close_line(text);
}

/* ---- a timeline --------------------------------------------------------- */

/* Puts the text of the first of @names that the record has behind @text. */
static bool add_first(struct buf *text, const struct record *record,
		      const char *const *names)
{
	autobuf struct buf value = { 0 };

	for (; *names; names++)
		if (!value_bytes(&value, record_get(record, *names))) {
			buf_addc(text, ' ');
			quote_line(text, buf_span(&value));
			return true;
		}
	return false;
}

static void add_words(struct buf *text, const char *words,
		      const struct record_value *value)
{
	autobuf struct buf bytes = { 0 };

	if (value_bytes(&bytes, value) < 0)
		return;
	buf_adds(text, words);
	quote_line(text, buf_span(&bytes));
}

static void add_number(struct buf *text, const char *words,
		       const struct record_value *value)
{
	int64_t number;

	if (!value_int(&number, value))
		buf_addf(text, "%s%lld", words, (long long)number);
}

static void add_result(struct buf *text, const struct record *record)
{
	const struct record_value *own = record_get(record, "result");
	const struct record_value *result = own ? own : record_root(record);
	const struct record_value *denials = value_field(result, "denials");
	const size_t denied = value_count(denials);

	add_words(text, " refused: ", value_field(result, "refused"));
	add_number(text, " exit ", value_field(result, "exit"));
	add_number(text, " signal ", value_field(result, "signal"));
	add_words(text, ", killed: ", value_field(result, "killed"));
	if (denied)
		buf_addf(text, ", the sandbox denied %zu", denied);
	add_words(text, ", ", value_field(result, "notice"));
}

static void add_work(struct buf *text, const struct record_value *done)
{
	if (value_is_true(value_field(done, "landed")))
		buf_adds(text, " landed");
	add_words(text, ", is at ", value_field(done, "ref"));
	add_words(text, ", ", value_field(done, "reason"));
}

/* What a person wants to know of an event beside its kind. */
static void add_event(struct buf *text, const struct record *record)
{
	static const char *const what[] = { "summary", "action", "tool", NULL };
	static const char *const other[] = { "project", "how",    "error",
					     "reason",  "driver", "tree",
					     NULL };
	const struct record_value *kind = record_get(record, "kind");

	if (value_is(kind, "result")) {
		(void)add_first(text, record, what);
		add_result(text, record);
		return;
	}
	if (!value_is(kind, "ask"))
		add_words(text, " ", record_get(record, "decision"));
	if (!add_first(text, record, what))
		(void)add_first(text, record, other);
	add_number(text, ", status ", record_get(record, "exit"));
	if (record_has(record, "decision")) {
		add_words(text, ", by ", record_get(record, "by"));
		add_words(text, ", rule ", record_get(record, "rule"));
	}
	add_work(text, record_get(record, "done"));
}

static void add_line(struct buf *text, struct span line)
{
	autorecord struct record record = { 0 };
	autobuf struct buf time = { 0 };
	autobuf struct buf kind = { 0 };
	struct why why = { 0 };
	size_t width;

	if (record_read(&record, line, &why) < 0) {
		buf_adds(text, "(no event)\n");
		return;
	}
	(void)value_bytes(&time, record_get(&record, "time"));
	(void)value_bytes(&kind, record_get(&record, "kind"));
	quote_line(text, buf_span(&time));
	buf_adds(text, "  ");
	quote_line(text, buf_span(&kind));
	for (width = kind.len; width < KIND_WIDTH; width++)
		buf_addc(text, ' ');
	add_event(text, &record);
	buf_addc(text, '\n');
}

/* ---- one log ------------------------------------------------------------ */

struct showing {
	int fd;
	off_t end; /* of the last whole line that was shown */
	bool as_json;
};

/* Shows what is there; half a line waits until it is whole. */
static void show_more(struct showing *showing)
{
	autolines struct lines lines = { .fd = showing->fd };
	struct why why = { 0 };
	struct span line;
	int r;

	if (lseek(showing->fd, showing->end, SEEK_SET) < 0)
		die_errno(EXIT_SYSTEM, "cannot read the log");
	while ((r = lines_next(&lines, &line, &why)) > 0 || r == -EFBIG) {
		autobuf struct buf text = { 0 };

		if (r == -EFBIG)
			die(EXIT_MISUSE, "the log has a line that is too long; "
					 "see chock-log-verify");
		showing->end += (off_t)line.len + 1;
		if (showing->as_json) {
			buf_add(&text, line);
			buf_addc(&text, '\n');
		} else {
			add_line(&text, line);
		}
		print(&text);
	}
	if (r < 0 && r != -EBADMSG)
		die_why(&why);
}

/* Waits until more was written, or it is time to look whether it still runs. */
static void wait_for_more(int watch_fd)
{
	struct pollfd pollfd = { .fd = watch_fd, .events = POLLIN };
	char events[4096];

	if (poll(&pollfd, 1, FOLLOW_EVERY) > 0 &&
	    read(watch_fd, events, sizeof(events)) < 0)
		die_errno(EXIT_SYSTEM, "cannot follow the log");
}

/* A watch of @path, which is @fd's, by the descriptor and not by its name. */
static int watch(int fd)
{
	int watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (watch_fd < 0 || inotify_add_watch(watch_fd, path, IN_MODIFY) < 0)
		die_errno(EXIT_SYSTEM, "cannot follow the log");
	return watch_fd;
}

void show_log(const struct logged *logged, bool follow, bool as_json)
{
	struct showing showing = {
		.fd = open(logged->log, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
						O_NOCTTY | O_CLOEXEC),
		.as_json = as_json,
	};
	struct why why = { 0 };
	int watch_fd;
	bool running;

	if (showing.fd < 0)
		die_errno(EXIT_MISUSE, "cannot open '%s'", logged->log);
	watch_fd = follow ? watch(showing.fd) : -1;
	if (confine_self(&why) < 0)
		die_why(&why);
	do {
		running = follow && logfile_running(showing.fd) > 0;
		show_more(&showing);
		if (running)
			wait_for_more(watch_fd);
	} while (running);
	exit(EXIT_ALLOW);
}
