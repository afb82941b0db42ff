/* SPDX-License-Identifier: ISC */
#include "log/event.h"

#include <errno.h>
#include <string.h>

#include "base/why.h"
#include "record/record.h"

/* What the log puts in front of a record. */
static const char *const ours[] = { "seq", "time", "prev" };

/* Which field makes a record of which kind; the first that it has counts. */
static const struct {
	const char *field;
	const char *kind;
} by_field[] = {
	{ "result", "result" },     { "decision", "decision" },
	{ "tool", "call" },         { "action", "ask" },
	{ "restrict", "restrict" }, { "widen", "widen" },
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
	return 0;
}
