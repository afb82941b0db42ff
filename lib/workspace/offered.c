/* SPDX-License-Identifier: ISC */
#include "workspace/offered.h"

#include <errno.h>
#include <fcntl.h>
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

/* "TO", which may be empty, and "ID NAME" of each other, a line each. */
int offered_note(const struct space *space, struct span to,
		 const struct also *also, struct why *why)
{
	autobuf struct buf note = { 0 };
	size_t i;

	buf_add(&note, to);
	buf_addc(&note, '\n');
	for (i = 0; i < also->refs.count; i++)
		buf_addf(&note, "%s %s\n", also->ids.items[i],
			 also->refs.items[i]);
	return file_put(space->dir, NOTE, buf_span(&note), why);
}

int offered_read(struct offered *asked, const struct space *space,
		 struct why *why)
{
	autofree char *path = alloc_text("%s/" NOTE, space->dir);
	autobuf struct buf note = { 0 };
	int r = file_read_path(&note, AT_FDCWD, path, BUF_MAX, why);
	struct span rest = buf_span(&note);

	if (r == -ENOENT) {
		*why = (struct why){ 0 };
		return 0;
	}
	if (r < 0)
		return r;
	asked->found = true;
	buf_add(&asked->to, span_cut(&rest, '\n'));
	while (rest.len) {
		struct span line = span_cut(&rest, '\n');

		names_add(&asked->ids, span_cut(&line, ' '));
		names_add(&asked->refs, line);
	}
	return 0;
}

void offered_drop(struct offered *asked)
{
	buf_drop(&asked->to);
	names_drop(&asked->ids);
	names_drop(&asked->refs);
	*asked = (struct offered){ 0 };
}
