/* SPDX-License-Identifier: ISC */
/*
 * chock-policy-eval --control-fd: what only the broker may say.
 *
 * What waits there is done before each answer, so that no answer is given by
 * what was lifted or lowered before it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-policy-eval.h"
#include "record/json.h"
#include "record/record.h"
#include "record/refusal.h"

static int obey(struct buf *fields, struct stream *stream,
		const struct record *record, struct why *why)
{
	if (record_has(record, "widen"))
		return stream_widen(fields, stream, record, why);
	if (stream_is_restrict(record))
		return stream_restrict(fields, stream, record, why);
	return why_set(why, EINVAL, "it neither widens nor restricts");
}

/* Answers where the broker can read it; else only what is wrong is said. */
static void obey_line(struct judge *judge, struct span line, struct why *why)
{
	struct control *control = &judge->control;
	autorecord struct record record = { 0 };
	autobuf struct buf fields = { 0 };
	autobuf struct buf answer = { 0 };
	bool good = !why->errnum && record_read(&record, line, why) == 0 &&
		    obey(&fields, &judge->stream, &record, why) == 0;

	control->bad = control->bad || !good;
	if (!control->answers) {
		if (!good)
			warn("--control-fd: line %llu: %s",
			     (unsigned long long)control->lines.number,
			     why->text);
		return;
	}
	if (good)
		json_splice(&answer, line, buf_span(&fields));
	else
		refusal_put(&answer, &record, control->lines.number, why);
	buf_addc(&answer, '\n');
	/* Who does not listen any more has nothing to say either. */
	if (file_write(control->lines.fd, buf_span(&answer)) < 0)
		control->lines.fd = -1;
}

static bool readable(int fd)
{
	struct pollfd waiting = { .fd = fd, .events = POLLIN };

	return poll(&waiting, 1, 0) > 0;
}

/* A socket is answered on; into a pipe its reader would write to itself. */
void control_open(struct judge *judge)
{
	struct control *control = &judge->control;
	struct stat st;

	control->lines.fd = judge->options->control_fd;
	if (control->lines.fd < 0)
		return;
	if (fstat(control->lines.fd, &st) < 0)
		die_errno(EXIT_SYSTEM, "cannot look at descriptor %d",
			  control->lines.fd);
	control->answers = S_ISSOCK(st.st_mode);
	if (control->answers && signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		die_errno(EXIT_SYSTEM, "cannot ignore a signal");
}

void control_take(struct judge *judge)
{
	struct lines *lines = &judge->control.lines;

	while (lines->fd >= 0 &&
	       (lines_pending(lines) || readable(lines->fd))) {
		struct span line = { NULL, 0 };
		struct why why = { 0 };
		int r = lines_next(lines, &line, &why);

		if (r < 0 && r != -EFBIG && r != -EBADMSG)
			die_why(&why);
		if (r)
			obey_line(judge, line, &why);
		if (!r || r == -EBADMSG)
			lines->fd = -1;
	}
}

void control_wait(struct judge *judge, const struct lines *input)
{
	const struct lines *lines = &judge->control.lines;

	while (lines->fd >= 0 && !lines_pending(input)) {
		struct pollfd waiting[] = {
			{ .fd = input->fd, .events = POLLIN },
			{ .fd = lines->fd, .events = POLLIN },
		};

		if (poll(waiting, 2, -1) < 0 && errno != EINTR)
			die_errno(EXIT_SYSTEM, "cannot wait for records");
		control_take(judge);
		if (waiting[0].revents)
			return;
	}
}

bool control_close(struct judge *judge)
{
	lines_drop(&judge->control.lines);
	return !judge->control.bad;
}
