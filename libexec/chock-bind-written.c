/* SPDX-License-Identifier: ISC */
/*
 * chock-bind end - print what became of the files that were written through
 */
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/why.h"
#include "chock-bind.h"
#include "record/json.h"
#include "workspace/written.h"

struct ended {
	struct buf taken, left;
	bool told; /* why one is left */
};

static void tell(void *context, const char *path, bool mended,
		 const char *sentence)
{
	struct ended *ended = context;

	json_item(mended ? &ended->taken : &ended->left, span_of(path));
	ended->told |= !mended;
	warn("%s", sentence);
}

static void print_ended(const struct space *space, const struct ended *ended)
{
	autobuf struct buf record = { 0 };

	json_open(&record);
	json_str(&record, "session", buf_span(&space->id));
	json_open_array(&record, "taken");
	buf_add(&record, buf_span(&ended->taken));
	json_close_array(&record);
	json_open_array(&record, "left");
	buf_add(&record, buf_span(&ended->left));
	json_close_array(&record);
	print_record(&record);
}

void bind_written_end(const char *workspace)
{
	autospace struct space space = { 0 };
	struct ended ended = { .told = false };
	struct why why = { 0 };
	int r = space_open(&space, workspace, &why);

	if (r < 0)
		die_why(&why);
	r = written_end(space.dir, tell, &ended, &why);
	if (r < 0 && !ended.told)
		die_why(&why);
	print_ended(&space, &ended);
	buf_drop(&ended.taken);
	buf_drop(&ended.left);
	if (r < 0)
		exit(EXIT_SYSTEM);
}
