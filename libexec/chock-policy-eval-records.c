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
#include "call/call.h"
#include "chock-policy-eval.h"
#include "record/json.h"
#include "record/record.h"
#include "record/refusal.h"

/* What waits to be written while further lines are at hand. */
#define OUT_ROOM ((size_t)64 << 10)

struct filter {
	struct judge *judge;
	struct lines input;
	struct filter_counts counts;
	struct buf out;
	bool good; /* no line was refused */
};

int judge_record(struct buf *fields, struct judge *judge,
		 const struct record *record, enum policy_decision *decision,
		 struct why *why)
{
	autocall struct call call = { .count = 0 };
	int r;

	*decision = DECISION_ALLOW;
	if (stream_is_restrict(record))
		return stream_restrict(fields, &judge->stream, record, why);
	r = call_read(&call, record, judge->projects, why);
	if (!r)
		r = stream_answer(fields, &judge->stream, &call,
				  judge->options->explain, why);
	*decision = call.decided;
	return r;
}

/* Returns the decision, DECISIONS for a line that was not judged. */
static enum policy_decision answer_line(struct filter *filter, struct span line)
{
	autorecord struct record record = { 0 };
	autobuf struct buf fields = { 0 };
	enum policy_decision decision = DECISIONS;
	struct why why = { 0 };
	bool good = record_read(&record, line, &why) == 0;

	/* An error of a program before us is for those behind us as well. */
	if (good && record_has(&record, "error") &&
	    !record_has(&record, "tool") && !record_has(&record, "action")) {
		buf_add(&filter->out, line);
		return DECISIONS;
	}
	good = good && judge_record(&fields, filter->judge, &record, &decision,
				    &why) == 0;
	if (good) {
		json_splice(&filter->out, line, buf_span(&fields));
		return decision;
	}
	refusal_put(&filter->out, &record, filter->input.number, &why);
	filter->good = false;
	return DECISIONS;
}

/* Whoever waits for an answer before the next line gets it. */
static void send(struct filter *filter, enum policy_decision decision)
{
	const struct eval_options *options = filter->judge->options;

	buf_addc(&filter->out, '\n');
	if (options->filter)
		filter_put(options, &filter->counts, decision, &filter->out);
	else if (filter->out.len < OUT_ROOM && lines_pending(&filter->input))
		return;
	else
		print(&filter->out);
	buf_reset(&filter->out);
}

/* What lines_next() returned for the input; false at its end. */
static bool take_input(struct filter *filter, int r, struct span line,
		       const struct why *why)
{
	const struct record none = { .root = NULL };
	enum policy_decision decision = DECISIONS;

	if (r < 0 && r != -EFBIG && r != -EBADMSG)
		die_why(why);
	if (!r)
		return false;
	/* What came while the line did. */
	control_take(filter->judge);
	if (r > 0) {
		decision = answer_line(filter, line);
	} else {
		refusal_put(&filter->out, &none, filter->input.number, why);
		filter->good = false;
	}
	send(filter, decision);
	return r != -EBADMSG;
}

void records_open(struct judge *judge)
{
	filter_open(judge->options);
	control_open(judge);
}

int answer_records(struct judge *judge)
{
	struct filter filter = { .judge = judge,
				 .input = { .fd = STDIN_FILENO },
				 .good = true };
	struct span line = { NULL, 0 };
	bool more = true;
	int status;

	while (more) {
		struct why why = { 0 };
		int r;

		control_wait(judge, &filter.input);
		r = lines_next(&filter.input, &line, &why);
		more = take_input(&filter, r, line, &why);
	}
	print(&filter.out);
	filter.good = control_close(judge) && filter.good;
	status = judge->options->filter
			 ? filter_status(judge->options, &filter.counts)
			 : EXIT_ALLOW;
	if (!filter.good)
		status = EXIT_MISUSE;
	lines_drop(&filter.input);
	buf_drop(&filter.out);
	return status;
}
