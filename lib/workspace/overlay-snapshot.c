/* SPDX-License-Identifier: ISC */
/*
 * A copy of a directory for its session: what is changed in the directory
 * meanwhile would else be a change of an overlay's lower layer, of which the
 * kernel says that what comes of it is undefined (Documentation/filesystems/
 * overlayfs.rst, Changes to underlying filesystems).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/progress.h"
#include "base/why.h"
#include "cow/copy.h"
#include "cow/descend.h"
#include "cow/node.h"
#include "workspace/binds.h"
#include "workspace/names.h"
#include "workspace/overlay.h"

#define LOWER "lower"

static int count(void *context, const struct descend *at, const struct stat *st)
{
	struct binds_size *size = context;

	(void)at;
	if (S_ISREG(st->st_mode))
		size->bytes += (uint64_t)st->st_size;
	if (++size->names > OVERLAY_SNAPSHOT_NAMES)
		return -E2BIG;
	return size->bytes > OVERLAY_SNAPSHOT_BYTES ? -EFBIG : 0;
}

static void leave_out(void *context, const char *path, const char *what)
{
	autofree char *line = alloc_text("%s (%s)", path, what);

	names_add(context, span_of(line));
}

static int copy_into(const struct overlay *o, int root_fd, size_t all,
		     struct names *left)
{
	const struct copy how = { .path = ".",
				  .left_out = leave_out,
				  .context = left };
	autoclose int layers_fd =
		open(o->layers, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	autoprogress struct progress progress = { 0 };
	int r;

	progress_begin(&progress, "copying the project");
	progress.all = all;
	if (layers_fd < 0 || fstat(root_fd, &st) < 0)
		return -errno;
	r = copy_tree(&how, root_fd, ".", layers_fd, LOWER);
	return r < 0 ? r : node_chmod(layers_fd, LOWER, st.st_mode & NODE_MODE);
}

int overlay_snapshot(const struct overlay *overlay, struct names *left,
		     struct why *why)
{
	const char *project = buf_str(&overlay->project);
	autoclose int root_fd =
		open(project, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct binds_size size = { 0 };
	int r = root_fd < 0 ? -errno : descend_below(root_fd, count, &size);

	if (!r)
		r = copy_into(overlay, root_fd, size.names, left);
	if (r == -E2BIG)
		return why_set(why, E2BIG,
			       "cannot copy '%s': it has more than %zu files",
			       project, OVERLAY_SNAPSHOT_NAMES);
	if (r == -EFBIG)
		return why_set(
			why, EFBIG,
			"cannot copy '%s': its files have more than %llu "
			"bytes",
			project, (unsigned long long)OVERLAY_SNAPSHOT_BYTES);
	return r < 0 ? why_sys(why, -r, "cannot copy '%s'", project) : 0;
}
