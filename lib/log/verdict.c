/* SPDX-License-Identifier: ISC */
#include "log/verdict.h"

#include <errno.h>
#include <string.h>

#include "base/rough.h"
#include "log/anchor.h"
#include "log/logfile.h"
#include "log/seal.h"
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

static bool is_cut(const struct walk_mark *mark, struct why *why)
{
	if (!mark->by || mark->met)
		return false;
	(void)why_set(why, EBADMSG, "it had %llu line%s, as its %s says",
		      (unsigned long long)mark->count,
		      rough_plural(mark->count), mark->by);
	return true;
}

static enum verdict_outcome judge(const struct walk *walk, uint64_t lost,
				  bool running, struct why *why)
{
	if (is_cut(&walk->anchor, why) || is_cut(&walk->seal, why))
		return VERDICT_CUT;
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
	return walk->anchor.by ? VERDICT_WHOLE : VERDICT_UNANCHORED;
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

/* Holds @walk to the seal, if it is one of this session; why not, in @why. */
static void find_seal(struct walk *walk, struct verdict *verdict,
		      const struct evidence *evidence, struct why *why)
{
	autoseal struct seal seal = { 0 };

	if (evidence->forged) {
		*why = *evidence->forged;
		return;
	}
	if (!evidence->seal.data)
		return;
	if (seal_read(&seal, evidence->seal, why) < 0)
		return;
	if (!span_equal(buf_span(&seal.session), evidence->session)) {
		(void)why_set(why, EBADMSG, "its seal is another session's");
		return;
	}
	walk_expect(walk, &walk->seal, "seal", seal.count, seal.head);
	verdict->sealed = seal.count;
	memcpy(verdict->sealed_at, seal.time, sizeof(verdict->sealed_at));
}

/* What the seal makes of a log that is whole without it. */
static enum verdict_outcome judge_seal(const struct walk *walk,
				       const struct why *unsealed,
				       struct why *why)
{
	if (unsealed->errnum) {
		*why = *unsealed;
		return VERDICT_UNSEALED;
	}
	return walk->seal.by && walk->seal.count == walk->count ? VERDICT_SEALED
								: VERDICT_WHOLE;
}

int verdict_reach(struct verdict *verdict, const struct evidence *evidence,
		  struct why *why)
{
	autoanchor struct anchor anchor = { 0 };
	autowalk struct walk walk = { 0 };
	struct why *reason = &verdict->why;
	struct why unsealed = { 0 };
	uint64_t lost = 0;
	int anchored;
	int r;

	*verdict = (struct verdict){ .outcome = VERDICT_BROKEN };
	/* The anchor first: a log that grows meanwhile is only ahead of it. */
	anchored = find_anchor(&anchor, evidence->anchor_fd, evidence->session,
			       reason);
	if (anchored < 0) {
		*why = *reason;
		return anchored;
	}
	r = logfile_running(evidence->log_fd);
	if (r < 0)
		return why_sys(why, -r, "cannot ask for its lock");
	verdict->running = r;
	walk_init(&walk, evidence->log_fd, evidence->session);
	if (anchored)
		walk_expect(&walk, &walk.anchor, "anchor", anchor.count,
			    anchor.head);
	find_seal(&walk, verdict, evidence, &unsealed);
	r = walk_all(&walk, &lost, why);
	verdict->count = walk.count;
	memcpy(verdict->head, walk.head, sizeof(verdict->head));
	if (r == -EBADMSG)
		*reason = *why;
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	verdict->anchored = anchored && !lost;
	verdict->outcome = judge(&walk, lost, verdict->running, reason);
	if (verdict->outcome == VERDICT_WHOLE)
		verdict->outcome = judge_seal(&walk, &unsealed, reason);
	return 0;
}

const char *verdict_word(const struct verdict *verdict)
{
	static const char *const words[] = {
		[VERDICT_BROKEN] = "broken",
		[VERDICT_TORN] = "torn",
		[VERDICT_CUT] = "cut",
		[VERDICT_UNANCHORED] = "unanchored",
		[VERDICT_UNSEALED] = "unsealed",
		[VERDICT_WHOLE] = "whole",
		[VERDICT_SEALED] = "sealed",
	};

	return words[verdict->outcome];
}
