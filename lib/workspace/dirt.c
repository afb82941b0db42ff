/* SPDX-License-Identifier: ISC */
#include "workspace/dirt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/child.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/why.h"
#include "workspace/indexed.h"
#include "workspace/joined.h"
#include "workspace/own.h"
#include "workspace/quote.h"

/*
 * The copy keeps the time of the original.  git trusts what an index says of
 * a file only if the file is older than the index: with a newer time, a file
 * that changed within the same tick as the index would pass as unchanged.
 */
int dirt_copy_index(const struct space *s, const struct project *p,
		    struct why *why)
{
	autofree char *path = alloc_text("%s/index", buf_str(&p->git_dir));
	autoclose int from_fd = open(path, O_RDONLY | O_CLOEXEC);
	autoclose int to_fd = -1;
	struct stat st;
	int r;

	space_fresh_index(s->index);
	if (from_fd < 0 && errno == ENOENT)
		return 0;
	to_fd = open(s->index, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (from_fd < 0 || to_fd < 0 || fstat(from_fd, &st) < 0)
		return why_sys(why, errno, "cannot copy '%s'", path);
	r = file_copy(to_fd, from_fd);
	if (!r && futimens(to_fd, (const struct timespec[]){ st.st_atim,
							     st.st_mtim }) < 0)
		r = -errno;
	return r < 0 ? why_sys(why, -r, "cannot copy '%s'", path)
		     : joined_index(s, p, why);
}

/*
 * git holds a path against this when it puts it into an index, but not when it
 * reads one.  What ends in a slash is a repository in which it does not look.
 */
static bool is_sound(struct span path)
{
	while (path.len) {
		const struct span part = span_cut(&path, '/');

		if (!part.len || span_is(part, ".") || span_is(part, "..") ||
		    (part.len == 4 && !strncasecmp(part.data, ".git", 4)))
			return false;
	}
	return true;
}

static int say_unsound(struct span path, struct why *why)
{
	autobuf struct buf name = { 0 };

	quote_line(&name, path);
	return why_set(why, EBADMSG,
		       "cannot compare the project's files: its index names "
		       "'%s', which git puts into none",
		       buf_str(&name));
}

/* "XY PATH" each, git-status(1); no path is of more than one. */
static int take(struct dirt *dirt, const struct names *lines, struct why *why)
{
	size_t i;

	for (i = 0; i < lines->count; i++) {
		const struct span line = span_of(lines->items[i]);
		const bool new = span_starts(line, "?? ");

		if (line.len < 4 || line.data[2] != ' ')
			return why_set(why, EBADMSG,
				       "cannot compare the project's files: "
				       "git does not say which changed");
		if (!is_sound(span_from(line, 3)))
			return say_unsound(span_from(line, 3), why);
		if (span_starts(line, "?? " OWN_ADOPTED "/"))
			continue;
		names_add(new ? &dirt->untracked : &dirt->changed,
			  span_from(line, 3));
	}
	names_tidy(&dirt->changed);
	return 0;
}

static const char *const all[] = { "status",
				   "--porcelain=v1",
				   "-z",
				   "--no-renames",
				   "--ignore-submodules=dirty",
				   "--untracked-files=all",
				   NULL };
static const char *const changed[] = { "status",
				       "--porcelain=v1",
				       "-z",
				       "--no-renames",
				       "--ignore-submodules=dirty",
				       "--untracked-files=no",
				       NULL };

/*
 * One look at each file: the index is brought up to date with what is found,
 * so that whoever goes on with it need not look again.
 */
static int prepare(struct git *git, const struct space *space,
		   const struct project *project, struct why *why)
{
	*git = space_git(space);
	git->work_tree = buf_str(&project->root);
	git->index = space->index;
	git->refreshes = true;
	return dirt_copy_index(space, project, why);
}

static int compare(struct git *git, const char *const *status, struct buf *out,
		   struct why *why)
{
	return git_settle(git, git_read(git, status, out, why),
			  "compare the project's files", why);
}

static int look(struct buf *out, const struct space *space,
		const struct project *project, struct why *why)
{
	struct git git;
	int r = prepare(&git, space, project, why);

	return r < 0 ? r : compare(&git, all, out, why);
}

/* What the one printed that began; 1: it has to be done again, to hear why. */
static int read_begun(struct buf *out, struct dirt *dirt, struct why *why)
{
	autoclose int out_fd = dirt->out_fd;
	const pid_t pid = dirt->pid;
	int r;

	dirt->pid = 0;
	r = child_wait(pid, "git", why);
	if (r)
		return r < 0 ? r : 1;
	if (lseek(out_fd, 0, SEEK_SET) < 0)
		return why_sys(why, errno, "cannot read a file in memory");
	return file_read(out, out_fd, BUF_MAX, why);
}

static int settle(struct dirt *dirt, const struct buf *out,
		  const struct space *space, struct why *why)
{
	autonames struct names lines = { 0 };
	int r;

	names_split(&lines, buf_span(out), '\0');
	r = take(dirt, &lines, why);
	if (r < 0)
		return r;
	dirt->none = !dirt->changed.count;
	own_leave(&space->own, &dirt->changed);
	own_leave(&space->own, &dirt->untracked);
	dirt->found = true;
	return 0;
}

int dirt_begin(struct dirt *dirt, const struct space *space,
	       const struct project *project, struct why *why)
{
	autoclose int out_fd = memfd_create("status", MFD_CLOEXEC);
	struct git git;
	int r = prepare(&git, space, project, why);

	if (r < 0)
		return r;
	if (out_fd < 0)
		return why_sys(why, errno, "cannot make a file in memory");
	git.out_fd = out_fd;
	r = git_start(&git, all, &dirt->pid, why);
	if (!r)
		dirt->out_fd = take_fd(&out_fd);
	return r;
}

int dirt_find(struct dirt *dirt, const struct space *space,
	      const struct project *project, struct why *why)
{
	autobuf struct buf out = { 0 };
	autoprogress struct progress progress = { 0 };
	int r = 1;

	progress_begin(&progress, "looking at the project's files");
	if (dirt->pid)
		r = read_begun(&out, dirt, why);
	if (r > 0)
		r = look(&out, space, project, why);
	return r < 0 ? r : settle(dirt, &out, space, why);
}

/*
 * Where nothing differs that is told without a git, which reads the index and
 * each tree of it to say which files do.
 */
int dirt_find_changed(struct dirt *dirt, const struct space *space,
		      const struct project *project, struct why *why)
{
	autobuf struct buf out = { 0 };
	autoprogress struct progress progress = { 0 };
	struct git git;
	int r;

	progress_begin(&progress, "looking at the project's files");
	r = prepare(&git, space, project, why);
	if (r < 0)
		return r;
	if (indexed_tracked(buf_str(&project->root), space->index,
			    project->sha256, buf_str(&project->tree)) != 1)
		r = compare(&git, changed, &out, why);
	return r < 0 ? r : settle(dirt, &out, space, why);
}

void dirt_drop(struct dirt *dirt)
{
	if (dirt->pid) {
		(void)kill(dirt->pid, SIGKILL);
		child_bury(dirt->pid);
		fd_drop(&dirt->out_fd);
		dirt->pid = 0;
	}
	names_drop(&dirt->changed);
	names_drop(&dirt->untracked);
	dirt->found = false;
	dirt->none = false;
}
