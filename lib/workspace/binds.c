/* SPDX-License-Identifier: ISC */
#include "workspace/binds.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/progress.h"
#include "base/why.h"
#include "cow/copy.h"
#include "cow/descend.h"
#include "cow/node.h"
#include "workspace/beneath.h"
#include "workspace/bindsway.h"

int binds_judge(struct binds_judged *judged, int root_fd, const char *path,
		struct why *why)
{
	const struct stat *st = &judged->st;
	autoclose int fd = beneath_open(root_fd, path);
	int r = fd < 0 ? fd : 0;

	if (!r)
		r = fstat(fd, &judged->st) < 0 ? -errno
					       : identity_of(&judged->is, fd);
	if (!r && S_ISLNK(st->st_mode))
		r = -ELOOP;
	if (r < 0)
		return why_sys(why, -r, "cannot use '%s'", path);
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return why_set(why, EINVAL,
			       "cannot use '%s': neither file nor directory",
			       path);
	return 0;
}

/* ---- in ----------------------------------------------------------------- */

static int add_size(void *context, const struct descend *at,
		    const struct stat *st)
{
	struct binds_size *size = context;

	(void)at;
	progress_step();
	size->names++;
	if (S_ISREG(st->st_mode))
		size->bytes += (uint64_t)st->st_size;
	return size->names > BINDS_NAMES_MAX ? -E2BIG : 0;
}

int binds_measure(struct binds_size *size, int root_fd, const char *path,
		  struct why *why)
{
	int r = descend(root_fd, path, false, add_size, size);

	if (r == -E2BIG)
		return why_set(why, E2BIG,
			       "cannot use '%s': it has more than %zu files",
			       path, BINDS_NAMES_MAX);
	return r < 0 ? why_sys(why, -r, "cannot look through '%s'", path) : 0;
}

static int find_hidden(void *context, const struct descend *at,
		       const struct stat *st)
{
	const struct binds_hidden *hidden = context;

	(void)st;
	return hidden->skips(hidden->context, at->path) ? -EPERM : 0;
}

bool binds_hides(int root_fd, const char *path,
		 const struct binds_hidden *hidden)
{
	struct binds_hidden any = *hidden;

	return descend(root_fd, path, false, find_hidden, &any) < 0;
}

int binds_above(int to_fd, int like_fd, const char *path)
{
	autofree char *above = alloc_copy(path, strlen(path));
	char *slash = strchr(above, '/');
	int r = 0;

	for (; slash && !r; slash = strchr(slash + 1, '/')) {
		const char *name;
		struct stat st = { .st_mode = 0755 };

		*slash = '\0';
		autoclose int like = node_parent(like_fd, above, &name);
		autoclose int to = node_parent(to_fd, above, &name);

		if (like >= 0)
			(void)node_stat(like, name, &st);
		if (to < 0)
			r = to;
		else if (!mkdirat(to, name, 0700))
			r = node_chmod(to, name, st.st_mode & NODE_MODE);
		else if (errno != EEXIST)
			r = -errno;
		*slash = '/';
	}
	return r;
}

int binds_copy_one(int from_fd, int to_fd, const char *path,
		   const struct binds_hidden *hidden)
{
	const struct copy how = { .own = !hidden,
				  .path = path,
				  .skips = hidden ? hidden->skips : NULL,
				  .context = hidden ? hidden->context : NULL };
	const char *name;
	autoclose int from = node_parent(from_fd, path, &name);
	autoclose int to = node_parent(to_fd, path, &name);
	struct stat st;
	int r = from < 0 ? from : to;

	if (r >= 0)
		r = node_stat(from, name, &st);
	if (r == 0)
		return -ENOENT;
	if (r > 0)
		r = copy_tree(&how, from, name, to, name);
	if (!r && S_ISDIR(st.st_mode))
		r = node_chmod(to, name, st.st_mode & NODE_MODE);
	return r;
}

int binds_copy(int root_fd, int copy_fd, const char *path,
	       const struct binds_hidden *hidden, struct why *why)
{
	int r = binds_above(copy_fd, root_fd, path);

	if (!r)
		r = binds_copy_one(root_fd, copy_fd, path, hidden);
	return r < 0 ? why_sys(why, -r, "cannot copy '%s'", path) : 0;
}

int binds_place(int root_fd, int copy_fd, const char *path, mode_t mode,
		struct why *why)
{
	const char *name;
	int r = binds_above(copy_fd, root_fd, path);
	autoclose int fd = r ? r : node_parent(copy_fd, path, &name);

	if (fd < 0)
		return why_sys(why, -fd, "cannot make a place for '%s'", path);
	r = S_ISDIR(mode) ? mkdirat(fd, name, 0700)
			  : mknodat(fd, name, S_IFREG | 0600, 0);
	if (r < 0 && errno != EEXIST)
		return why_sys(why, errno, "cannot make a place for '%s'",
			       path);
	return 0;
}

/* ---- the note ----------------------------------------------------------- */

int binds_add_note(void *context, const struct descend *at,
		   const struct stat *st)
{
	struct buf *note = context;

	buf_addf(note, "%c %o %" PRIu64 " %lld.%09ld %s",
		 S_ISDIR(st->st_mode) ? 'd' : '-', st->st_mode,
		 (uint64_t)st->st_ino, (long long)st->st_ctim.tv_sec,
		 st->st_ctim.tv_nsec, at->path);
	buf_addc(note, '\0');
	return note->len > BINDS_NOTE_MAX ? -E2BIG : 0;
}

int binds_note(struct buf *note, int copy_fd, const char *path, struct why *why)
{
	int r = descend(copy_fd, path, true, binds_add_note, note);

	if (r == -E2BIG)
		return why_set(why, E2BIG,
			       "cannot note what is in '%s': with what else is "
			       "copied it takes more than %zu MiB",
			       path, BINDS_NOTE_MAX >> 20);
	return r < 0 ? why_sys(why, -r, "cannot note what is in '%s'", path)
		     : 0;
}
