/* SPDX-License-Identifier: ISC */
/* chock-policy-eval as a filter of records. */
#include <errno.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/line.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-policy-eval.h"
#include "policy/call.h"
#include "policy/reply.h"
#include "record/json.h"
#include "record/record.h"
#include "record/refusal.h"

/* What waits to be written while further lines are at hand. */
#define OUT_ROOM ((size_t)64 << 10)

/*
 * Returns whether the line is no mistake.  @decision is DECISIONS where it was
 * not judged.
 */
static bool answer_line(const struct judge *judge, struct buf *out,
			struct span line, uint64_t number,
			enum policy_decision *decision)
{
	autorecord struct record record = { 0 };
	autobuf struct buf fields = { 0 };
	autocall struct call call = { .count = 0 };
	struct why why = { 0 };
	bool good;

	*decision = DECISIONS;
	good = record_read(&record, line, &why) == 0;
	/* An error of a program before us is for those behind us as well. */
	if (good && record_has(&record, "error") &&
	    !record_has(&record, "tool") && !record_has(&record, "action")) {
		buf_add(out, line);
		return true;
	}
	good = good && call_read(&call, &record, judge->projects, &why) == 0;
	if (good) {
		*decision = reply_call(&fields, &judge->policy, &call,
				       judge->options->explain);
		json_splice(out, line, buf_span(&fields));
	} else {
		refusal_put(out, &record, number, &why);
	}
	return good;
}

int answer_records(const struct judge *judge)
{
	autolines struct lines lines = { .fd = STDIN_FILENO };
	autobuf struct buf out = { 0 };
	const struct record none = { .root = NULL };
	struct why why = { 0 };
	const struct eval_options *options = judge->options;
	struct tally tally = { .records = 0 };
	struct span line;
	bool good = true;
	int r;

	while ((r = lines_next(&lines, &line, &why)) != 0) {
		enum policy_decision decision = DECISIONS;

		if (r < 0 && r != -EFBIG && r != -EBADMSG)
			die_why(&why);
		if (r < 0)
			refusal_put(&out, &none, lines.number, &why);
		good = r > 0 &&
		       answer_line(judge, &out, line, lines.number,
				   &decision) &&
		       good;
		buf_addc(&out, '\n');
		if (options->filter) {
			filter_put(options, &tally, decision, &out);
			buf_reset(&out);
		}
		if (r == -EBADMSG)
			break;
		/* Whoever waits for an answer before the next line gets it. */
		if (out.len < OUT_ROOM && lines_pending(&lines))
			continue;
		print(&out);
		buf_reset(&out);
	}
	print(&out);
	if (options->filter)
		return filter_status(options, &tally);
	return good ? EXIT_ALLOW : EXIT_MISUSE;
}
