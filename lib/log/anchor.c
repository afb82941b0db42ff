/* SPDX-License-Identifier: ISC */
#include "log/anchor.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "log/stamp.h"
#include "record/json.h"
#include "record/record.h"

#define SLOTS 2

/* What a slot says, without the blanks that fill it up. */
static void put_anchor(struct buf *text, const struct anchor *anchor)
{
	char check[SHA256_HEX + 1];

	json_open(text);
	json_str(text, "session", buf_span(&anchor->session));
	json_num(text, "count", (int64_t)anchor->count);
	json_str(text, "head", span_of(anchor->head));
	json_str(text, "time", span_of(anchor->time));
	sha256_hex(check, buf_span(text));
	json_str(text, "check", span_of(check));
	json_close(text);
}

static bool take_text(char *text, size_t room, const struct record_value *value)
{
	autobuf struct buf bytes = { 0 };

	if (value_text(&bytes, value) < 0 || bytes.len >= room)
		return false;
	memcpy(text, buf_str(&bytes), bytes.len + 1);
	return true;
}

static bool take_fields(struct anchor *anchor, const struct record *record)
{
	int64_t count;

	if (value_bytes(&anchor->session, record_get(record, "session")) < 0 ||
	    value_int(&count, record_get(record, "count")) < 0 || count < 0)
		return false;
	anchor->count = (uint64_t)count;
	return take_text(anchor->head, sizeof(anchor->head),
			 record_get(record, "head")) &&
	       take_text(anchor->time, sizeof(anchor->time),
			 record_get(record, "time"));
}

/*
 * It is an anchor if writing what it says gives the same bytes again, check
 * included: no second way to spell one, and nothing else to look for.
 */
static bool read_slot(struct anchor *anchor, struct span slot)
{
	autorecord struct record record = { 0 };
	autobuf struct buf again = { 0 };
	struct why why = { 0 };

	if (slot.len != ANCHOR_SLOT || slot.data[--slot.len] != '\n')
		return false;
	while (slot.len && slot.data[slot.len - 1] == ' ')
		slot.len--;
	if (record_read(&record, slot, &why) < 0 ||
	    !take_fields(anchor, &record))
		return false;
	put_anchor(&again, anchor);
	return span_equal(buf_span(&again), slot);
}

int anchor_read(struct anchor *anchor, int fd, struct why *why)
{
	char file[SLOTS * ANCHOR_SLOT];
	unsigned int i;
	ssize_t got;
	int found = 0;

	got = pread(fd, file, sizeof(file), 0);
	if (got < 0)
		return why_sys(why, errno, "cannot read the anchor");
	for (i = 0; (i + 1) * ANCHOR_SLOT <= (size_t)got; i++) {
		struct anchor other = { .slot = i };

		if (!read_slot(&other, (struct span){ file + i * ANCHOR_SLOT,
						      ANCHOR_SLOT }) ||
		    (found && other.count < anchor->count)) {
			anchor_drop(&other);
			continue;
		}
		anchor_drop(anchor);
		*anchor = other;
		found = 1;
	}
	return found;
}

static int write_slot(int fd, const struct anchor *anchor, struct why *why)
{
	autobuf struct buf text = { 0 };
	char slot[ANCHOR_SLOT];
	ssize_t done;

	put_anchor(&text, anchor);
	if (text.full || text.len >= ANCHOR_SLOT)
		return why_set(why, ENAMETOOLONG,
			       "the session's id is too "
			       "long for an anchor");
	memset(slot, ' ', sizeof(slot));
	memcpy(slot, text.data, text.len);
	slot[ANCHOR_SLOT - 1] = '\n';
	do
		done = pwrite(fd, slot, sizeof(slot),
			      (off_t)(anchor->slot * ANCHOR_SLOT));
	while (done < 0 && errno == EINTR);
	if (done < 0)
		return why_sys(why, errno, "cannot write the anchor");
	if ((size_t)done != sizeof(slot))
		return why_set(why, ENOSPC, "cannot write the anchor whole");
	return 0;
}

int anchor_write(int fd, struct span session, uint64_t count, const char *head,
		 struct why *why)
{
	autoanchor struct anchor newest = { 0 };
	autoanchor struct anchor next = { .count = count };
	int r = anchor_read(&newest, fd, why);

	if (r < 0)
		return r;
	if (r && newest.count == count && !strcmp(newest.head, head) &&
	    span_equal(buf_span(&newest.session), session))
		return 0;
	next.slot = r ? (newest.slot + 1) % SLOTS : 0;
	buf_add(&next.session, session);
	memcpy(next.head, head, sizeof(next.head));
	stamp_put(next.time, stamp_now());
	return write_slot(fd, &next, why);
}

void anchor_drop(struct anchor *anchor)
{
	buf_drop(&anchor->session);
	*anchor = (struct anchor){ 0 };
}
