/* SPDX-License-Identifier: ISC */
#include "log/seal.h"

#include <errno.h>
#include <string.h>

#include "base/why.h"
#include "record/json.h"
#include "record/record.h"

void seal_put(struct buf *text, const struct seal *seal)
{
	json_open(text);
	json_str(text, "session", buf_span(&seal->session));
	json_num(text, "count", (int64_t)seal->count);
	json_str(text, "head", span_of(seal->head));
	json_str(text, "time", span_of(seal->time));
	json_close_line(text);
}

static bool take_text(char *text, size_t len, const struct record_value *value)
{
	autobuf struct buf bytes = { 0 };

	if (value_text(&bytes, value) < 0 || bytes.len != len)
		return false;
	memcpy(text, buf_str(&bytes), len + 1);
	return true;
}

static bool take_fields(struct seal *seal, const struct record *record)
{
	int64_t count;

	if (value_bytes(&seal->session, record_get(record, "session")) < 0 ||
	    value_int(&count, record_get(record, "count")) < 0 || count < 0)
		return false;
	seal->count = (uint64_t)count;
	return take_text(seal->head, SHA256_HEX, record_get(record, "head")) &&
	       take_text(seal->time, STAMP_LEN, record_get(record, "time"));
}

int seal_read(struct seal *seal, struct span text, struct why *why)
{
	autorecord struct record record = { 0 };
	autobuf struct buf again = { 0 };
	struct span line = text;
	struct why none = { 0 };

	if (line.len && line.data[line.len - 1] == '\n')
		line.len--;
	if (!record_read(&record, line, &none) && take_fields(seal, &record))
		seal_put(&again, seal);
	if (again.len && span_equal(buf_span(&again), text))
		return 0;
	seal_drop(seal);
	return why_set(why, EBADMSG, "its seal is none");
}

void seal_drop(struct seal *seal)
{
	buf_drop(&seal->session);
	*seal = (struct seal){ 0 };
}
