/* SPDX-License-Identifier: ISC */
#include "record/refusal.h"

#include "base/why.h"
#include "record/json.h"

void refusal_put(struct buf *out, const struct record *record, uint64_t line,
		 const struct why *why)
{
	const struct record_value *id = record_get(record, "id");
	autobuf struct buf text = { 0 };

	json_open(out);
	json_str(out, "error", span_of(why->text));
	json_num(out, "line", (int64_t)line);
	if (id) {
		value_print(&text, id);
		json_raw(out, "id", buf_span(&text));
	}
	json_close(out);
}
