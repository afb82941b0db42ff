/* SPDX-License-Identifier: ISC */
/*
 * chock-policy-eval --control-fd: what only the broker may say.
 *
 * What waits there is done before each answer, so that no answer is given by
 * what was lifted or lowered before it.
 */
#include <errno.h>
#include <poll.h>

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
static void obey_line(struct control *control, struct span line,
		      struct why *why)
{
	autorecord struct record record = { 0 };
	autobuf struct buf fields = { 0 };
	autobuf struct buf answer = { 0 };
	bool good = !why->errnum && record_read(&record, line, why) == 0 &&
		    obey(&fields, &control->judge->stream, &record, why) == 0;

	control->bad = control->bad || !good;
	if (!control->judge->control_answers) {
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

void control_open(struct control *control, struct judge *judge)
{
	*control = (struct control){ .judge = judge,
				     .lines = {
					     .fd = judge->options->control_fd,
				     } };
}

void control_take(struct control *control)
{
	struct lines *lines = &control->lines;

	while (lines->fd >= 0 &&
	       (lines_pending(lines) || readable(lines->fd))) {
		struct span line = { NULL, 0 };
		struct why why = { 0 };
		int r = lines_next(lines, &line, &why);

		if (r < 0 && r != -EFBIG && r != -EBADMSG)
			die_why(&why);
		if (r)
			obey_line(control, line, &why);
		if (!r || r == -EBADMSG)
			lines->fd = -1;
	}
}

void control_wait(struct control *control, const struct lines *input)
{
	while (control->lines.fd >= 0 && !lines_pending(input)) {
		struct pollfd waiting[] = {
			{ .fd = input->fd, .events = POLLIN },
			{ .fd = control->lines.fd, .events = POLLIN },
		};

		if (poll(waiting, 2, -1) < 0 && errno != EINTR)
			die_errno(EXIT_SYSTEM, "cannot wait for records");
		control_take(control);
		if (waiting[0].revents)
			return;
	}
}

bool control_close(struct control *control)
{
	lines_drop(&control->lines);
	return !control->bad;
}
