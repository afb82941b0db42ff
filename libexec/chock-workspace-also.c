/* SPDX-License-Identifier: ISC */
/* What a session committed beside the branch, kept in the project. */
#include <stddef.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "record/json.h"
#include "workspace/also.h"

void keep_also(struct also *a, const struct space *space,
	       const struct project *project)
{
	struct why why = { 0 };

	if (a->refs.count && also_keep(a, space, project, &why) < 0)
		buf_adds(&a->reason, why.text);
}

void print_also(struct buf *record, const struct also *a,
		const struct space *space)
{
	size_t i;

	if (a->reason.len) {
		json_str(record, "also_not", buf_span(&a->reason));
		return;
	}
	json_open_array(record, "also");
	for (i = 0; i < a->refs.count; i++) {
		autobuf struct buf ref = { 0 };

		buf_addf(&ref, ALSO_PARKED "%s/%s", buf_str(&space->id),
			 a->refs.items[i]);
		json_item(record, buf_span(&ref));
	}
	json_close_array(record);
}

void apply_also(struct also *a, const struct space *space,
		const struct project *project)
{
	autobuf struct buf record = { 0 };
	struct why why = { 0 };

	if (also_keep(a, space, project, &why) < 0)
		die_why(&why);
	json_open(&record);
	json_bool(&record, "landed", false);
	print_also(&record, a, space);
	print_record(&record);
}
