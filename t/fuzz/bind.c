/* SPDX-License-Identifier: ISC */
/*
 * What says which file is bound, and the note of what was carried.
 *
 * The input is two parts with a newline between: an identity and a note.  There
 * are no directories that the note could be held against, so that nothing of
 * what it names is looked at or made.
 */

#include <errno.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/identity.h"
#include "base/why.h"
#include "fuzz.h"
#include "workspace/binds.h"

/* What is read is what is written, but for zeros in front. */
static void check_identity(struct span text)
{
	autobuf struct buf written = { 0 }, again = { 0 };
	struct identity identity, back;

	if (identity_read(&identity, text) < 0)
		return;
	identity_write(&identity, &written);
	bug_if(identity_read(&back, buf_span(&written)) < 0);
	bug_if(!identity_same(&identity, &back));
	identity_write(&back, &again);
	bug_if(!span_equal(buf_span(&written), buf_span(&again)));
	bug_if(written.len > text.len);
}

static void check_note(struct span note)
{
	struct why why = { 0 };
	const struct binds_sides sides = { -1, -1, -1, NULL };
	const int r = binds_gather(&sides, note, &why);

	bug_if(r > 0);
	bug_if(r < 0 && !*why.text);
	bug_if(!note.len && r);
	bug_if(note.len && note.data[note.len - 1] && r != -EBADMSG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest = { (const char *)data, size };

	check_identity(fuzz_part(&rest, '\n'));
	check_note(rest);
	return 0;
}
