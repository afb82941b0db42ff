/* SPDX-License-Identifier: ISC */
#include "log/event.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/bug.h"
#include "base/why.h"
#include "digest/sha256.h"
#include "log/stamp.h"
#include "record/record.h"

#define WIDEN "widen"

/* What the log puts in front of a record. */
static const char *const ours[] = { "seq", "time", "prev" };

/* Which field makes a record of which kind; the first that it has counts. */
static const struct {
	const char *field;
	const char *kind;
} by_field[] = {
	{ "result", "result" }, { "decision", "decision" }, { "tool", "call" },
	{ "action", "ask" },    { "restrict", "restrict" }, { WIDEN, WIDEN },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

bool event_kind_valid(const char *kind)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
	size_t len = strlen(kind);

	return len && len <= EVENT_KIND_MAX && strspn(kind, allowed) == len &&
	       strncmp(kind, "log.", 4) != 0;
}

static const char *kind_of_fields(const struct record *record)
{
	size_t i;

	for (i = 0; i < COUNT(by_field); i++)
		if (record_has(record, by_field[i].field))
			return by_field[i].kind;
	return NULL;
}

static int read_own_kind(struct event *event, const struct record *record,
			 const char *asked, struct why *why)
{
	const struct record_value *own = record_get(record, "kind");

	event->kind = value_string(own);
	if (!event->kind || !event_kind_valid(event->kind))
		return why_set(why, EBADMSG,
			       "its kind is none that a record "
			       "can have");
	if (asked && strcmp(asked, event->kind) != 0)
		return why_set(why, EBADMSG, "its kind is '%s' and not '%s'",
			       event->kind, asked);
	event->says_kind = true;
	return 0;
}

/*
 * Only a yes that a rule gives, and that a person never saw, may be waited
 * for later: the same call would get it again.
 */
static bool is_plain_allow(const struct event *event,
			   const struct record *record)
{
	const struct record_value *by = record_get(record, "by");

	return !strcmp(event->kind, "decision") &&
	       value_is(record_get(record, "decision"), "allow") &&
	       record_has(record, "rule") && (!by || value_is(by, "rule"));
}

/*
 * What is read out of a log to widen must not come from whoever may write to
 * a stream.  So it has a stream of its own, and what the answer of who lifted
 * it has.
 */
static int check_widen(const struct event *event, const struct record *record,
		       const char *asked, struct why *why)
{
	if (strcmp(event->kind, WIDEN) != 0)
		return 0;
	if (!asked)
		return why_set(why, EBADMSG,
			       "what widens is logged by --kind widen alone");
	if (!record_has(record, WIDEN) || !record_has(record, "lifted"))
		return why_set(why, EBADMSG,
			       "it has no 'widen' or no 'lifted', which the "
			       "answer to what widens has");
	return 0;
}

int event_read(struct event *event, const struct record *record,
	       const char *kind, struct why *why)
{
	size_t i;
	int r;

	*event = (struct event){ .record = record->line };
	for (i = 0; i < COUNT(ours); i++)
		if (record_has(record, ours[i]))
			return why_set(why, EBADMSG,
				       "has a field '%s', which the log adds",
				       ours[i]);
	if (record_has(record, "kind")) {
		r = read_own_kind(event, record, kind, why);
		if (r < 0)
			return r;
	} else if (record_has(record, "error") && !kind_of_fields(record)) {
		event->error = true;
		event->kind = "error";
	} else {
		event->kind = kind ? kind : kind_of_fields(record);
	}
	if (!event->kind)
		return why_set(why, EBADMSG,
			       "nothing says its kind: it has "
			       "no kind, result, decision or "
			       "tool");
	event->lasting = !is_plain_allow(event, record);
	return check_widen(event, record, kind, why);
}

static char *put(char *to, const char *from, size_t len)
{
	memcpy(to, from, len);
	return to + len;
}

static char *put_number(char *to, uint64_t value)
{
	char digits[20];
	size_t start = sizeof(digits);

	do
		digits[--start] = (char)('0' + value % 10);
	while (value /= 10);
	return put(to, digits + start, sizeof(digits) - start);
}

/* Events come faster than milliseconds do. */
static char *put_now(char *to)
{
	static char text[STAMP_LEN + 1];
	static uint64_t last;
	uint64_t now = stamp_now();

	if (now != last || !*text)
		stamp_put(text, now);
	last = now;
	return put(to, text, STAMP_LEN);
}

/* What is behind the opening brace of a record. */
static struct span inside(struct span record)
{
	const char *brace = memchr(record.data, '{', record.len);

	bug_if(!brace);
	return span_from(record, (size_t)(brace - record.data) + 1);
}

static bool is_empty(struct span fields)
{
	while (fields.len && (*fields.data == ' ' || *fields.data == '\t' ||
			      *fields.data == '\r'))
		fields = span_from(fields, 1);
	return span_starts(fields, "}");
}

void event_put(struct buf *b, const struct event *event, uint64_t seq,
	       const char *prev)
{
	struct span fields = inside(event->record);
	char header[EVENT_HEADER_MAX];
	char *end = header;

	end = put(end, "{\"seq\":", 7);
	end = put_number(end, seq);
	end = put(end, ",\"time\":\"", 9);
	end = put_now(end);
	end = put(end, "\",\"prev\":\"", 10);
	end = put(end, prev, SHA256_HEX);
	*end++ = '"';
	if (!event->says_kind) {
		end = put(end, ",\"kind\":\"", 9);
		end = put(end, event->kind, strlen(event->kind));
		*end++ = '"';
	}
	if (!is_empty(fields))
		*end++ = ',';
	buf_add(b, (struct span){ header, (size_t)(end - header) });
	buf_add(b, fields);
}
