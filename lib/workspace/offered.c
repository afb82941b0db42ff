/* SPDX-License-Identifier: ISC */
#include "workspace/offered.h"

#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"

#define NOTE "asked"

int offered_forget(const struct space *space, struct why *why)
{
	autofree char *path = alloc_text("%s/" NOTE, space->dir);

	return unlink(path) < 0 && errno != ENOENT
		       ? why_sys(why, errno, "cannot remove '%s'", path)
		       : 0;
}

/* "TO", which may be empty, on a line, and the list of the others. */
int offered_note(const struct space *space, struct span to,
		 const struct also *also, struct why *why)
{
	autobuf struct buf note = { 0 };

	buf_add(&note, to);
	buf_addc(&note, '\n');
	also_list(&note, also);
	return file_put(space->dir, NOTE, buf_span(&note), why);
}

int offered_read(struct offered *asked, const struct space *space,
		 struct why *why)
{
	autobuf struct buf note = { 0 };
	int r = space_read(&note, space, NOTE, why);
	struct span rest = buf_span(&note);

	if (r <= 0)
		return r;
	asked->found = true;
	buf_add(&asked->to, span_cut(&rest, '\n'));
	also_unlist(&asked->ids, &asked->refs, rest);
	return 0;
}

void offered_drop(struct offered *asked)
{
	buf_drop(&asked->to);
	names_drop(&asked->ids);
	names_drop(&asked->refs);
	*asked = (struct offered){ 0 };
}
