/* SPDX-License-Identifier: ISC */
#include "call/stream.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/span.h"
#include "base/why.h"
#include "call/call.h"
#include "call/narrowing.h"
#include "call/reply.h"
#include "record/json.h"
#include "record/record.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define RESTRICT_SELF "restrict_self"
#define SPAWN_AGENT "spawn_agent"
#define LIFTED "lifted"

/*
 * A record that has one of these is not only about a restriction.  One that
 * was answered has the field @answered, which may be NULL, as well.
 */
static int check_alone(const struct record *record, const char *what,
		       const char *answered, struct why *why)
{
	static const char *const others[] = { "tool",     "action",
					      "decision", "result",
					      "restrict", "widen",
					      "lifted",   "restriction" };
	size_t i;

	for (i = 0; i < COUNT(others); i++)
		if (!span_is(span_of(what), others[i]) &&
		    !(answered && !strcmp(answered, others[i])) &&
		    record_has(record, others[i]))
			return why_set(why, EINVAL,
				       "it has '%s' and '%s', and can have one",
				       what, others[i]);
	return 0;
}

bool stream_is_restrict(const struct record *record)
{
	return record_has(record, "restrict") && !record_has(record, "tool") &&
	       !record_has(record, "action");
}

int stream_restrict(struct buf *fields, struct stream *stream,
		    const struct record *record, struct why *why)
{
	autonarrowing struct narrowing narrowing = { .name = { .action =
								       NULL } };
	int r = check_alone(record, "restrict", NULL, why);

	if (!r)
		r = narrowing_read(&narrowing, record_get(record, "restrict"),
				   record_get(record, "agent"), why);
	if (!r)
		r = restriction_add(&stream->restrictions,
				    &narrowing.restriction, why);
	if (r < 0)
		return r;
	json_num(fields, "restriction", r);
	return 0;
}

/* What lifted it: what a question about policy.widen can be allowed by. */
static int check_granted(const struct record *record, struct why *why)
{
	static const char *const by[] = { "person", "reviewer", "rule",
					  "session" };
	const struct record_value *granted = record_get(record, "granted_by");
	size_t i;

	for (i = 0; i < COUNT(by); i++)
		if (value_is(granted, by[i]))
			return 0;
	return why_set(why, EINVAL,
		       "'granted_by' is none of person, reviewer, rule and "
		       "session");
}

static int widen(struct stream *stream, const struct record *record,
		 const char *answered, struct why *why)
{
	autonarrowing struct narrowing narrowing = { .name = { .action =
								       NULL } };
	int r = check_alone(record, "widen", answered, why);

	if (!r)
		r = check_granted(record, why);
	if (!r)
		r = narrowing_read_name(&narrowing, record_get(record, "widen"),
					record_get(record, "agent"), why);
	if (!r)
		r = restriction_lift(&stream->restrictions, &narrowing.name,
				     why);
	return r;
}

int stream_widen(struct buf *fields, struct stream *stream,
		 const struct record *record, struct why *why)
{
	int r = widen(stream, record, NULL, why);

	if (r < 0)
		return r;
	json_num(fields, LIFTED, r);
	return 0;
}

/* ---- logs --------------------------------------------------------------- */

static void fold_restrict(struct stream *stream,
			  const struct record_value *said,
			  const struct record_value *chain)
{
	autonarrowing struct narrowing narrowing = { .name = { .action =
								       NULL } };
	struct why why = { 0 };

	narrowing_read_kept(&narrowing, said, chain);
	/* Without room for it everything is denied. */
	(void)restriction_add(&stream->restrictions, &narrowing.restriction,
			      &why);
}

/*
 * Whether @record is what the broker got back for what it lifted.  What was
 * only wanted, and refused, is in a log without that.
 */
static bool was_lifted(const struct record *record)
{
	int64_t number;

	return value_is(record_get(record, "kind"), "widen") &&
	       !value_int(&number, record_get(record, LIFTED)) && number > 0;
}

void stream_fold(struct stream *stream, const struct record *record)
{
	const struct record_value *chain = record_get(record, "agent");
	struct why why = { 0 };

	if (record_has(record, "restrict"))
		fold_restrict(stream, record_get(record, "restrict"), chain);
	else if (was_lifted(record))
		/* One that lifts nothing leaves everything as it is. */
		(void)widen(stream, record, LIFTED, &why);
	else if (value_is(record_get(record, "tool"), RESTRICT_SELF) &&
		 record_has(record, "restriction"))
		fold_restrict(stream, record_get(record, "args"), chain);
}

/* ---- calls -------------------------------------------------------------- */

/* Whether there is what @call wants to have lifted: its own, or one's above. */
static int check_widening(const struct stream *stream, const struct call *call,
			  const struct record_value *said, struct why *why)
{
	autonarrowing struct narrowing own = { .name = { .action = NULL } };
	autonarrowing struct narrowing any = { .name = { .action = NULL } };
	struct why ignored = { 0 };
	int r = narrowing_read_name(&any, said, NULL, why);

	if (r < 0)
		return r;
	if (call->chain &&
	    !narrowing_read_name(&own, said, call->chain, &ignored) &&
	    restriction_find(&stream->restrictions, &own.name, &ignored) > 0)
		return 0;
	r = restriction_find(&stream->restrictions, &any.name, why);
	return r < 0 ? r : 0;
}

static void reply(struct buf *fields, const struct stream *stream,
		  struct call *call, bool with_why)
{
	call->decided = reply_call(fields, stream->policy, call, with_why);
}

static int restrict_self(struct buf *fields, struct stream *stream,
			 struct call *call, bool with_why, struct why *why)
{
	autonarrowing struct narrowing narrowing = { .name = { .action =
								       NULL } };
	const struct record_value *widen = value_field(call->args, "widen");
	int r;

	if (widen) {
		r = check_widening(stream, call, widen, why);
		if (!r)
			reply(fields, stream, call, with_why);
		return r;
	}
	r = narrowing_read(&narrowing, call->args, call->chain, why);
	if (r < 0)
		return r;
	reply(fields, stream, call, with_why);
	if (call->decided != DECISION_ALLOW)
		return 0;
	r = restriction_add(&stream->restrictions, &narrowing.restriction, why);
	if (r < 0)
		return r;
	json_num(fields, "restriction", r);
	return 0;
}

/* How many agents the asker has now is the caller's to say, and not for the
 * arguments, which are the model's. */
static int spawn_agent(struct buf *fields, struct stream *stream,
		       struct call *call, bool with_why, struct why *why)
{
	struct spawning spawning = { .asker = &call->asker, .running = -1 };
	autobuf struct buf note = { 0 };
	struct answer answer;
	int r = call_keep_text(call, &spawning.kind,
			       value_field(call->args, "agent"), "agent", why);

	if (!r && call->running &&
	    (value_int(&spawning.running, call->running) < 0 ||
	     spawning.running < 0))
		r = why_set(why, EINVAL, "'running' is no number of agents");
	if (r < 0)
		return r;
	answer = subagents_judge(stream->policy, &stream->spawned, &spawning,
				 &note);
	call->bound = &answer;
	call->note = buf_span(&note);
	reply(fields, stream, call, with_why);
	if (call->decided == DECISION_ALLOW && !call->running)
		spawned_add(&stream->spawned, &call->asker);
	call->bound = NULL;
	call->note = (struct span){ NULL, 0 };
	return 0;
}

int stream_answer(struct buf *fields, struct stream *stream, struct call *call,
		  bool with_why, struct why *why)
{
	if (span_is(call->asker.tool, SPAWN_AGENT))
		return spawn_agent(fields, stream, call, with_why, why);
	if (span_is(call->asker.tool, RESTRICT_SELF))
		return restrict_self(fields, stream, call, with_why, why);
	reply(fields, stream, call, with_why);
	return 0;
}

void stream_drop(struct stream *stream)
{
	restrictions_drop(&stream->restrictions);
	spawned_drop(&stream->spawned);
	*stream = (struct stream){ .policy = NULL };
}
