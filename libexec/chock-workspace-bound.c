/* SPDX-License-Identifier: ISC */
/*
 * chock-workspace - the part that knows what was copied in by a bind
 *
 * git ignores it, in the copy as in the project, and names none of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "workspace/overlay.h"
#include "workspace/quote.h"

/* Whether something was, and has not been brought back. */
static bool waits(const char *binds)
{
	autooverlay struct overlay overlay = { 0 };
	autofree char *state = alloc_text("%s/state", binds);
	struct why why = { 0 };

	if (access(state, F_OK) < 0)
		return false;
	return overlay_open(&overlay, binds, &why) < 0 || !overlay.landed;
}

int bound_each(const struct space *space, binds_tell *tell, void *context,
	       struct why *why)
{
	autofree char *binds = alloc_text("%s/binds", space->dir);
	autofree char *path = alloc_text("%s/note", binds);
	autobuf struct buf note = { 0 };
	int r;

	if (!waits(binds))
		return 0;
	autoclose int copy_fd = open(
		space->copy, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (copy_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", space->copy);
	r = file_read_path(&note, AT_FDCWD, path, BINDS_NOTE_MAX, why);
	return r < 0 ? r
		     : binds_differ(copy_fd, buf_span(&note), tell, context,
				    why);
}

static int add_line(void *context, char status, const char *path)
{
	struct buf *text = context;

	buf_addf(text, "%c ", status);
	quote_line(text, span_of(path));
	buf_addc(text, '\n');
	return 0;
}

void bound_show(struct buf *text, const struct space *space)
{
	struct why why = { 0 };

	if (bound_each(space, add_line, text, &why) < 0)
		die_why(&why);
}
