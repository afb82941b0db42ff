/* SPDX-License-Identifier: ISC */
/*
 * chock-kept - the part that tells from a session's log how it ended
 */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/line.h"
#include "base/why.h"
#include "chock-kept.h"
#include "log/logfile.h"
#include "record/record.h"

#define OF_WORK "\"workspace." /* an action or a kind */

/* The status is of chock-run, which may have one of its own. */
static void say_end(struct kept *kept, struct span line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	if (record_read(&record, line, &why) < 0 ||
	    !value_is(record_get(&record, "kind"), "session.end") ||
	    value_text(&kept->ended, record_get(&record, "how")) < 0) {
		buf_reset(&kept->ended);
		buf_adds(&kept->ended, "it was cut off");
	}
}

/* A question is in the log before it is put, and its answer before that counts:
 * while a question is the last line, nothing else happens. */
static void say_running(struct kept *kept, struct span line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	kept->asking = record_read(&record, line, &why) >= 0 &&
		       value_is(record_get(&record, "kind"), "ask");
	buf_adds(&kept->ended,
		 kept->asking ? "it waits for an answer" : "it is in use");
}

/* What became of the work, as far as its log has it; empty: nothing waits. */
struct fate {
	struct buf asked;  /* what an apply was asked about */
	struct buf reason; /* or why it is still there */
	bool final;        /* it cannot land any more */
};

static void take_fate(struct fate *fate, const struct record *record)
{
	const struct record_value *kind = record_get(record, "kind");
	const bool ask =
		value_is(kind, "ask") &&
		value_is(record_get(record, "action"), "workspace.apply");
	const bool stays = value_is(kind, "workspace.stays");

	if (!ask && !stays && !value_is(kind, "workspace.integrate"))
		return;
	buf_reset(&fate->asked);
	buf_reset(&fate->reason);
	if (ask)
		(void)value_text(&fate->asked, record_get(record, "summary"));
	if (stays)
		(void)value_text(&fate->reason, record_get(record, "reason"));
	fate->final = stays && value_is_true(record_get(record, "final"));
}

/* Most lines are of something else, and of a large log there are many. */
static void take_line(struct fate *fate, struct span line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	if (memmem(line.data, line.len, OF_WORK, strlen(OF_WORK)) &&
	    record_read(&record, line, &why) >= 0)
		take_fate(fate, &record);
}

static void say_fate(struct kept *kept, const struct fate *fate)
{
	struct buf *text = &kept->ended;

	if (kept->landing)
		buf_adds(text, "; an apply was cut off");
	else if (fate->reason.len)
		buf_adds(text, fate->final ? "; cannot land any more: "
					   : "; waits: ");
	else if (fate->asked.len)
		buf_adds(text, "; waits for a yes: ");
	if (kept->landing)
		return;
	buf_add(text, buf_span(&fate->reason));
	buf_add(text, buf_span(&fate->asked));
}

/* The last line says how it ended; those before are for chock-log-verify(1). */
void kept_read_log(struct kept *kept)
{
	autoclose int fd = open(kept->log, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
						   O_NOCTTY | O_CLOEXEC);
	autolines struct lines lines = { .fd = fd };
	struct fate fate = { .final = false };
	autobuf struct buf last = { 0 };
	struct why why = { 0 };
	struct span line;

	if (fd < 0) {
		buf_adds(&kept->ended, "it has no log");
		return;
	}
	kept->running = logfile_running(fd) != 0;
	while (lines_next(&lines, &line, &why) > 0) {
		take_line(&fate, line);
		buf_reset(&last);
		buf_add(&last, line);
	}
	if (kept->running) {
		say_running(kept, buf_span(&last));
	} else {
		say_end(kept, buf_span(&last));
		say_fate(kept, &fate);
	}
	buf_drop(&fate.asked);
	buf_drop(&fate.reason);
}
