/* SPDX-License-Identifier: ISC */
/*
 * chock-workspace - the part that makes the directory that a command starts in
 *
 * git keeps no directory without a file, and none that is ignored: who calls
 * from one finds it empty.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "record/json.h"
#include "workspace/beneath.h"
#include "workspace/binds.h"

/* What of the physical @dir is below the project; NULL if it is no such. */
static const char *find_below(const struct space *space, const char *dir)
{
	const char *root = buf_str(&space->project);

	if (!space_within(dir, root) || !strcmp(dir, root))
		return NULL;
	return dir + strlen(root) + 1;
}

/* What the copy is over may have it. */
static bool is_in_below(const struct space *space, const char *path)
{
	struct stat st;

	if (!space->below.len)
		return false;
	autoclose int below_fd = open_dir(buf_str(&space->below));

	return !beneath_stat(below_fd, path, &st);
}

/* Makes it; returns whether it was not there. */
static bool make(const struct space *space, const char *path)
{
	autoclose int root_fd = open_dir(buf_str(&space->project));
	autoclose int copy_fd = open_dir(space->copy);
	struct stat st;
	struct why why = { 0 };

	if (!beneath_stat(copy_fd, path, &st) || is_in_below(space, path))
		return false;
	if (binds_place(root_fd, copy_fd, path, S_IFDIR, &why) < 0)
		die_why(&why);
	return true;
}

void enter_copy(const char *workspace, const char *dir)
{
	autofree char *real = realpath(dir, NULL);
	autospace struct space space = { 0 };
	autobuf struct buf record = { 0 };
	const char *path;
	struct why why = { 0 };

	if (!real)
		die_errno(EXIT_MISUSE, "cannot find '%s'", dir);
	if (space_open(&space, workspace, &why) < 0)
		die_why(&why);
	path = find_below(&space, real);
	json_open(&record);
	json_str(&record, "session", buf_span(&space.id));
	if (path && make(&space, path))
		json_str(&record, "made", span_of(path));
	print_record(&record);
}
