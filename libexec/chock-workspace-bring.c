/* SPDX-License-Identifier: ISC */
/*
 * chock-workspace - the part that brings out files, committed or not
 *
 * git, in a sandbox, says which files differ from where the session began; what
 * it says is not believed.  Their bytes are read here, below the copy, along no
 * link.  What is of a repository stays in the copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "archive/tar.h"
#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/exitcode.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-bring.h"
#include "chock-workspace.h"
#include "cow/copy.h"
#include "cow/list.h"
#include "cow/node.h"
#include "workspace/beneath.h"
#include "workspace/differ.h"
#include "workspace/gitdir.h"
#include "workspace/inside.h"

struct bringing {
	int copy_fd;         /* borrowed */
	int below_fd;        /* borrowed; what the copy is over; -1: nothing */
	struct bring *bring; /* borrowed; of adopt */
	struct tar *tar;     /* borrowed; of export */
	struct buf deleted;  /* lines */
	size_t count;
};

/* Whether @path is one that stays below where it starts. */
static bool is_below(const char *path)
{
	size_t len;

	if (!*path)
		return false;
	for (;; path += len + 1) {
		len = strcspn(path, "/");
		if (!len || (len == 1 && path[0] == '.') ||
		    (len == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (!path[len])
			return true;
	}
}

/* What cannot be looked at counts as there. */
static bool is_there(const struct gitdir_tree *tree, const char *path)
{
	struct stat st;
	int r;

	if (tree->lower_fd >= 0)
		return gitdir_in_layers(tree, path);
	r = beneath_stat(tree->upper_fd, path, &st);
	return r != -ENOENT && r != -ENOTDIR;
}

static bool is_of_repository(void *context, const char *path)
{
	const struct bringing *b = context;
	const struct gitdir_tree tree = { .has = is_there,
					  .upper_fd = b->copy_fd,
					  .lower_fd = b->below_fd };

	return gitdir_of_others(path) || gitdir_has(&tree, path);
}

static int adopt_file(struct bringing *b, const char *path, int from_fd,
		      const char *name)
{
	const struct copy copy = { .own = true,
				   .path = path,
				   .left_out = bring_left_out,
				   .skips = is_of_repository,
				   .context = b };
	autoclose int fd = bring_above(b->bring, path, false);

	return fd < 0 ? fd : copy_tree(&copy, from_fd, name, fd, name);
}

static int bring_path(struct bringing *b, const char *path, struct why *why)
{
	const char *name;
	autoclose int fd = node_parent(b->copy_fd, path, &name);
	const char *what;
	struct stat st;
	int r = fd < 0 ? fd : node_stat(fd, name, &st);

	if (r <= 0)
		return why_sys(why, r ? -r : ENOENT, "cannot open '%s'", path);
	what = S_ISDIR(st.st_mode) ? "repository" : node_what(&st);
	if (what) {
		bring_left_out(NULL, path, what);
		return 0;
	}
	b->count++;
	if (b->tar)
		return bring_add(b->tar, path, fd, name, why);
	r = adopt_file(b, path, fd, name);
	return r < 0 ? why_sys(why, -r, "cannot adopt '%s'", path) : 0;
}

static int bring_one(struct bringing *b, char *path, bool gone, struct why *why)
{
	size_t len = strlen(path);

	/* A repository within the copy, as git names one. */
	if (len > 1 && path[len - 1] == '/')
		path[len - 1] = '\0';
	if (!is_below(path))
		return why_set(why, EBADMSG,
			       "git in the copy names what is no file of it");
	if (is_of_repository(b, path)) {
		warn("'%.*s' is of a repository, and is left out",
		     REPORT_NAME_MAX, path);
		return 0;
	}
	if (!gone)
		return bring_path(b, path, why);
	b->count++;
	list_path(&b->deleted, path);
	buf_addc(&b->deleted, '\n');
	return b->deleted.full ? why_set(why, EFBIG, "too much is deleted") : 0;
}

struct bound {
	struct bringing *b;
	struct why *why;
};

static int bring_bound(void *context, char status, const char *path)
{
	const struct bound *bound = context;
	autofree char *own = alloc_copy(path, strlen(path));

	return bring_one(bound->b, own, status == 'D', bound->why);
}

/* What git names, and what it ignores and a bind carried in. */
static int bring_all(struct bringing *b, const struct inside *inside,
		     struct why *why)
{
	autonames struct names words = { 0 };
	struct bound bound = { b, why };
	size_t i;
	int r = differ_names(&words, inside, why);

	for (i = 0; !r && i + 1 < words.count; i += 2)
		r = bring_one(b, words.items[i + 1], words.items[i][0] == 'D',
			      why);
	return r ? r : bound_each(inside->space, bring_bound, &bound, why);
}

/* What differs from where the session began is in the copy even so. */
static int open_below(const struct space *space)
{
	return space->below.len ? open_dir(buf_str(&space->below)) : -1;
}

void adopt_work(const char *workspace, uint64_t seconds)
{
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autobring struct bring bring = BRING_CLOSED;
	const struct inside inside = { &space, &project, seconds };
	struct why why = { 0 };

	open_both(&space, &project, workspace);
	autoclose int copy_fd = open_dir(space.copy);
	autoclose int below_fd = open_below(&space);
	autoclose int root_fd = open(buf_str(&project.root),
				     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct bringing b = { .copy_fd = copy_fd,
			      .below_fd = below_fd,
			      .bring = &bring };

	if (root_fd < 0)
		die_errno(EXIT_SYSTEM, "cannot open '%s'",
			  buf_str(&project.root));
	if (bring_begin(&bring, root_fd, buf_str(&space.id), &why) < 0)
		die_why(&why);
	(void)bring_all(&b, &inside, &why);
	bring_end(&bring, &b.deleted, &why);
	buf_drop(&b.deleted);
	if (why.errnum)
		die_why(&why);
	bring_told(buf_str(&space.id), buf_str(&project.root), b.count);
}

void export_work(const char *workspace, uint64_t seconds)
{
	autospace struct space space = { 0 };
	autoproject struct project project = { 0 };
	autotar struct tar tar = { NULL };
	const struct inside inside = { &space, &project, seconds };
	struct why why = { 0 };

	open_both(&space, &project, workspace);
	autoclose int copy_fd = open_dir(space.copy);
	autoclose int below_fd = open_below(&space);
	struct bringing b = { .copy_fd = copy_fd,
			      .below_fd = below_fd,
			      .tar = &tar };

	bring_archive(&tar);
	if (!bring_all(&b, &inside, &why) &&
	    !tar_bytes(&tar, BRING_DELETED, buf_span(&b.deleted), &why))
		(void)tar_close(&tar, &why);
	buf_drop(&b.deleted);
	if (why.errnum)
		die_why(&why);
}
