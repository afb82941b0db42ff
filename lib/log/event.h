/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_EVENT_H
#define CHOCK_LOG_EVENT_H

/*
 * event - a record as the log takes it: of which kind, and how durable
 *
 * The kind is the one asked for, else the record's own, else what its fields
 * say.  Kinds that start with "log." are the log's own and nobody else's.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct buf;
struct why;
struct record;

#define EVENT_KIND_MAX 64 /* bytes */

/* What a line has in front of its record, at most: 147 bytes and the kind. */
#define EVENT_HEADER_MAX 256

struct event {
	struct span record; /* borrowed: the line as it came */
	const char *kind;   /* borrowed, of record or of who asked */
	bool says_kind;     /* the record has a field for its kind already */
	bool error;         /* what a program before us said of a bad line */
	bool lasting;       /* must be on the disk before anybody acts on it */
};

/*
 * event_kind_valid - whether @kind may be one: a to z, 0 to 9, '.', '-', '_',
 * and not the log's own
 */
bool event_kind_valid(const char *kind);

/*
 * event_read - what the log makes of @record
 *
 * @kind is the kind asked for, or NULL.
 *
 * Returns 0, or -EBADMSG if it cannot be logged: it has a field that the log
 * adds, its kind is not the one asked for, or nothing says its kind; or it
 * is of the kind widen, and that was not asked for or nobody lifted anything.
 */
int event_read(struct event *event, const struct record *record,
	       const char *kind, struct why *why);

/*
 * event_put - @event as line number @seq of a log, put behind @b without a
 * newline
 *
 * @prev is the hash of the line before it, in hexadecimal digits.
 */
void event_put(struct buf *b, const struct event *event, uint64_t seq,
	       const char *prev);

#endif /* CHOCK_LOG_EVENT_H */
