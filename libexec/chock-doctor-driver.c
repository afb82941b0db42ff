/* SPDX-License-Identifier: ISC */
#include "base/buf.h"
#include "chock-doctor.h"
#include "record/json.h"
#include "sandbox/driver.h"

static void add_gap(struct buf *out, const struct driver *driver,
		    const struct driver_gap *gap, bool json)
{
	if (json) {
		json_item_object(out);
		json_str(out, "driver", span_of(driver->name));
		json_str(out, "what", span_of(gap->what));
		json_str(out, "text", span_of(gap->text));
		json_close_object(out);
	} else {
		buf_addf(out, "  %s: %s\n", gap->what, gap->text);
	}
}

static void add_gaps(struct buf *out, const struct driver *driver, bool json)
{
	const struct driver_gap *gap = driver->gaps;

	if (gap->what && !json)
		buf_addf(out, "\nWith --driver %s less is held:\n",
			 driver->name);
	for (; gap->what; gap++)
		add_gap(out, driver, gap, json);
}

void doctor_gaps(struct buf *out, bool json)
{
	const struct driver *driver;
	unsigned int i;

	if (json)
		json_open_array(out, "gaps");
	for (i = 0; (driver = driver_at(i)); i++)
		add_gaps(out, driver, json);
	if (json)
		json_close_array(out);
}
