/* SPDX-License-Identifier: ISC */
#include "base/buf.h"
#include "chock-doctor.h"
#include "record/json.h"
#include "sandbox/driver.h"

static void add_gap(struct buf *out, const struct driver_gap *gap, bool json)
{
	if (json) {
		json_item_object(out);
		json_str(out, "what", span_of(gap->what));
		json_str(out, "text", span_of(gap->text));
		json_close_object(out);
	} else {
		buf_addf(out, "  %s: %s\n", gap->what, gap->text);
	}
}

void doctor_gaps(struct buf *out, bool json)
{
	const struct driver *driver = &driver_landlock;
	const struct driver_gap *gap = driver->gaps;

	if (json)
		json_open_array(out, "gaps");
	else
		buf_addf(out, "\nWith --driver %s less is held:\n",
			 driver->name);
	for (; gap->what; gap++)
		add_gap(out, gap, json);
	if (json)
		json_close_array(out);
}
