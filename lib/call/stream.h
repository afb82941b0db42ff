/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CALL_STREAM_H
#define CHOCK_CALL_STREAM_H

/*
 * stream - what the records that came before say about the next one
 *
 * A policy answers the same each time.  What changes between two answers is
 * here: the restrictions in force, and how many agents were started.
 *
 * Invariants
 *   - An all-zero struct is a stream of which nothing was read.
 *   - Whoever sets restrictions in a policy to those of the stream keeps the
 *     stream where it is.
 */

#include <stdbool.h>

#include "call/subagents.h"
#include "policy/restriction.h"

struct buf;
struct call;
struct policy;
struct record;
struct why;

struct stream {
	const struct policy *policy; /* borrowed */
	struct restrictions restrictions;
	struct spawned spawned;
};

/* stream_is_restrict - whether @record lowers a ceiling, and does no more */
bool stream_is_restrict(const struct record *record);

/*
 * stream_restrict - put the restriction that @record is in force
 *
 * The field that says so is put behind @fields.
 *
 * Returns 0, -EINVAL for a record that is none, or -ENOSPC.
 */
int stream_restrict(struct buf *fields, struct stream *stream,
		    const struct record *record, struct why *why);

/*
 * stream_widen - lift the restriction that @record names
 *
 * For what comes from the broker alone.  Fields and results as with
 * stream_restrict(); also -ENOENT where none is so named.
 */
int stream_widen(struct buf *fields, struct stream *stream,
		 const struct record *record, struct why *why);

/*
 * stream_fold - take over what @record, a line of a log, did then
 *
 * What cannot be read is taken as strictly as it may have been meant.
 */
void stream_fold(struct stream *stream, const struct record *record);

/*
 * stream_answer - answer @call, and do what that changes
 *
 * The fields that its record gets are put behind @fields, and call->decided is
 * set.  Returns 0, or -errno for a call that cannot be answered.
 */
int stream_answer(struct buf *fields, struct stream *stream, struct call *call,
		  bool with_why, struct why *why);

/* stream_drop - release it; good as new afterwards */
void stream_drop(struct stream *stream);

#endif /* CHOCK_CALL_STREAM_H */
