/* SPDX-License-Identifier: ISC */
#include "log/verdict.h"

#include <errno.h>
#include <string.h>

#include "base/rough.h"
#include "log/anchor.h"
#include "log/logfile.h"
#include "log/walk.h"
#include "record/record.h"

/* The line in which a writer says that it found no anchor; 0 for none. */
static uint64_t lost_at(const struct walk *walk, const struct record *record)
{
	return value_is(record_get(record, "kind"), "log.anchor") ? walk->count
								  : 0;
}

/* Returns 0 at the end, -EBADMSG at a break, or another -errno. */
static int walk_all(struct walk *walk, uint64_t *lost, struct why *why)
{
	autorecord struct record record = { 0 };
	uint64_t here;
	int r;

	while ((r = walk_next(walk, &record, why)) > 0) {
		here = lost_at(walk, &record);
		if (here)
			*lost = here;
	}
	return r;
}

static enum verdict_outcome judge(const struct walk *walk, uint64_t lost,
				  bool running, struct why *why)
{
	if (walk->anchor && !walk->met) {
		(void)why_set(why, EBADMSG, "it had %llu line%s",
			      (unsigned long long)walk->anchor->count,
			      rough_s(walk->anchor->count));
		return VERDICT_CUT;
	}
	/* While a writer is at it a line may be seen before its end. */
	if (walk->torn && !running) {
		(void)why_set(why, EBADMSG,
			      "what is behind byte %llu is no whole line",
			      (unsigned long long)walk->end);
		return VERDICT_TORN;
	}
	if (lost) {
		(void)why_set(why, ENOENT,
			      "it had lost its anchor before line %llu",
			      (unsigned long long)lost);
		return VERDICT_UNANCHORED;
	}
	return walk->anchor ? VERDICT_WHOLE : VERDICT_UNANCHORED;
}

/* Returns 1 with an anchor of @session, 0 with the reason for none, -errno. */
static int find_anchor(struct anchor *anchor, int fd, struct span session,
		       struct why *why)
{
	int r = fd < 0 ? 0 : anchor_read(anchor, fd, why);

	if (r < 0)
		return r;
	if (!r)
		(void)why_set(why, ENOENT, "it has no whole anchor");
	else if (!span_equal(buf_span(&anchor->session), session))
		(void)why_set(why, EBADMSG, "its anchor is another session's");
	else
		return 1;
	return 0;
}

int verdict_reach(struct verdict *verdict, int log_fd, int anchor_fd,
		  struct span session, struct why *why)
{
	autoanchor struct anchor anchor = { 0 };
	autowalk struct walk walk = { 0 };
	struct why *reason = &verdict->why;
	uint64_t lost = 0;
	int anchored;
	int r;

	*verdict = (struct verdict){ .outcome = VERDICT_BROKEN };
	/* The anchor first: a log that grows meanwhile is only ahead of it. */
	anchored = find_anchor(&anchor, anchor_fd, session, reason);
	if (anchored < 0) {
		*why = *reason;
		return anchored;
	}
	r = logfile_running(log_fd);
	if (r < 0)
		return why_sys(why, -r, "cannot ask for its lock");
	verdict->running = r;
	walk_init(&walk, log_fd, session, anchored ? &anchor : NULL);
	r = walk_all(&walk, &lost, why);
	verdict->count = walk.count;
	memcpy(verdict->head, walk.head, sizeof(verdict->head));
	if (r == -EBADMSG)
		*reason = *why;
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	verdict->anchored = anchored && !lost;
	verdict->outcome = judge(&walk, lost, verdict->running, reason);
	return 0;
}

const char *verdict_word(const struct verdict *verdict)
{
	static const char *const words[] = {
		[VERDICT_BROKEN] = "broken",
		[VERDICT_TORN] = "torn",
		[VERDICT_CUT] = "cut",
		[VERDICT_UNANCHORED] = "unanchored",
		[VERDICT_WHOLE] = "whole",
	};

	return words[verdict->outcome];
}
