/* SPDX-License-Identifier: ISC */
/* What a session committed beside the branch, kept in the project. */
#include <errno.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "record/json.h"
#include "workspace/also.h"
#include "workspace/intent.h"

void keep_also(struct also *a, const struct space *space,
	       const struct project *project)
{
	struct why why = { 0 };

	/* The reason is with them. */
	if (a->refs.count)
		(void)also_keep(a, space, project, &why);
}

static void print_names(struct buf *record, const struct names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		json_item(record, span_of(names->items[i]));
}

void print_checked_out(struct buf *record, const struct project *project)
{
	if (project->branch.len)
		json_str(record, "checked_out", buf_span(&project->branch));
}

void print_kept_also(struct buf *record, const struct also *a)
{
	json_open_array(record, "also");
	print_names(record, &a->kept);
	json_close_array(record);
	if (!a->left.count)
		return;
	json_open_array(record, "also_left");
	print_names(record, &a->left);
	json_close_array(record);
	json_str(record, "also_not", buf_span(&a->reason));
}

void apply_also(struct also *a, struct space *space, struct project *project)
{
	autointent struct intent intent = INTENT_CLOSED;
	autobuf struct buf record = { 0 };
	struct why why = { 0 };
	struct why later = { 0 };
	int r = intent_begin(&intent, space, NULL, span_of(""), &why);

	if (r < 0)
		die_why(&why);
	space->keep_fd = &intent.fd;
	project->keep_fd = &intent.fd;
	r = also_keep(a, space, project, &why);
	space->keep_fd = NULL;
	project->keep_fd = NULL;
	/* Of the two the first that failed is what there is to say. */
	if (intent_end(&intent, space, r < 0 ? &later : &why) < 0 || r < 0)
		die_why(&why);
	if (!a->kept.count) {
		(void)why_set(&why, EEXIST, "%s", buf_str(&a->reason));
		die_why(&why);
	}
	json_open(&record);
	json_bool(&record, "landed", false);
	print_checked_out(&record, project);
	print_kept_also(&record, a);
	print_record(&record);
}
