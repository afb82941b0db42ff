/* SPDX-License-Identifier: ISC */
#include "workspace/template.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/child.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/why.h"
#include "digest/sha256.h"
#include "workspace/hidden.h"
#include "workspace/indexed.h"
#include "workspace/inside.h"
#include "workspace/kinds.h"
#include "workspace/repo.h"
#include "workspace/templatestore.h"

/* Changes when what a template is, or how it is made, does. */
#define FORM "2"

#define TRIAL_SECONDS 60

/* ---- whether there can be one ------------------------------------------- */

/*
 * "DIRC", a version and the number of entries, each of four bytes, the first
 * byte the highest (gitformat-index(5)).  A split or sparse one has fewer.
 */
static uint64_t count_files(const struct project *project)
{
	autofree char *path =
		alloc_text("%s/index", buf_str(&project->git_dir));
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint32_t head[3];

	if (fd < 0 || read(fd, head, sizeof(head)) != sizeof(head) ||
	    memcmp(head, "DIRC", 4) != 0)
		return 0;
	return be32toh(head[2]);
}

/* An overlay over nothing: what does not work now would not work later. */
static bool try_overlay(struct space *space, const struct project *project)
{
	static const char *const args[] = { "version", NULL };
	autofree char *trial = alloc_text("%s/trial", space->dir);
	const struct inside inside = { space, project, TRIAL_SECONDS };
	autobuf struct buf out = { 0 };
	const struct sink sink = { .buf = &out, .max = 4096 };
	struct why why = { 0 };
	bool works =
		!mkdir(trial, 0700) &&
		!space_lay(space, span_of(trial), &why) &&
		!mkdir(space->copy, 0700) &&
		!inside_git(&inside, args, (struct span){ 0 }, &sink, &why);

	(void)rmdir(trial);
	return !space_lay(space, (struct span){ 0 }, &why) && works;
}

bool template_serves(struct space *space, const struct project *project,
		     uint64_t least)
{
	return least && project->head.len && !space->in_place &&
	       count_files(project) >= least && try_overlay(space, project);
}

/* ---- its name ----------------------------------------------------------- */

static void add_part(struct buf *parts, struct span part)
{
	buf_addf(parts, "%zu ", part.len);
	buf_add(parts, part);
}

static char *name_of(const struct buf *parts)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(hex, buf_span(parts));
	return alloc_copy(hex, TEMPLATESTORE_NAME_LEN);
}

static char *project_name(const struct project *project)
{
	autobuf struct buf parts = { 0 };

	add_part(&parts, buf_span(&project->root));
	add_part(&parts, buf_span(&project->git_dir));
	return name_of(&parts);
}

static mode_t own_umask(void)
{
	const mode_t mask = umask(0);

	(void)umask(mask);
	return mask;
}

/* Without a hidden file it is the template of those who hide nothing. */
static char *template_name(const struct project *project,
			   const struct hidden *hidden)
{
	autobuf struct buf parts = { 0 };
	autobuf struct buf paths = { 0 };

	buf_addf(&parts, FORM " %o ", (unsigned int)own_umask());
	add_part(&parts, buf_span(&project->head));
	add_part(&parts, buf_span(&project->settings.config));
	add_part(&parts, buf_span(&project->attributes));
	add_part(&parts, buf_span(&project->sparse));
	names_join(&hidden->paths, &paths, '\0');
	if (paths.len)
		add_part(&parts, buf_span(&paths));
	return name_of(&parts);
}

/* ---- making one --------------------------------------------------------- */

static struct git git_on(const struct space *space, const char *files,
			 const char *index)
{
	struct git git = space_git(space);

	git.dir = files;
	git.work_tree = files;
	git.index = index;
	return git;
}

/* What a template is of. */
struct subject {
	struct space *space;
	const struct project *project;
	const struct hidden *hidden;
};

/*
 * Of a file that is no older than the index git reads the content each time,
 * as it could have changed within the tick in which it was indexed.  Nobody
 * else has these yet, so that as of the next second all of them are older.  By
 * its name no file may get other times where a project is a sparse checkout.
 */
static int settle_time(const char *index, struct why *why)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	autoclose int fd = open(index, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);

	if (clock_gettime(CLOCK_REALTIME, &times[1]) < 0)
		return why_sys(why, errno, "cannot read the clock");
	times[1].tv_sec++;
	times[1].tv_nsec = 0;
	return fd < 0 || futimens(fd, times) < 0
		       ? why_sys(why, errno, "cannot write '%s'", index)
		       : 0;
}

static int check_out(const struct subject *of, struct git *git, struct why *why)
{
	const char *head = buf_str(&of->project->head);
	/* Zero workers is git's word for one a processor. */
	const char *const args[] = { "-c",        "checkout.workers=0",
				     "read-tree", git_counting(),
				     "-m",        "-u",
				     head,        NULL };
	autoprogress struct progress progress = { 0 };
	int r;

	progress_begin(&progress, "checking out the project, to be kept");
	if (of->hidden->paths.count)
		return hidden_fill(of->hidden, git, head, why);
	git->counts = true;
	r = git_run(git, args, why);
	git->counts = false;
	return git_settle(git, r, "check out a template", why);
}

static int fill(const struct subject *of, const char *dir, struct why *why)
{
	autofree char *files = alloc_text("%s/files", dir);
	autofree char *index = alloc_text("%s/index", dir);
	autofree char *users = alloc_text("%s/users", dir);
	struct git git = git_on(of->space, files, index);
	struct kinds kinds;
	struct stat st;
	int r;

	if (stat(buf_str(&of->project->root), &st) < 0 ||
	    mkdir(dir, 0700) < 0 ||
	    mkdir(files, (st.st_mode & 0777) | 0700) < 0 ||
	    mkdir(users, 0700) < 0)
		return why_sys(why, errno, "cannot make '%s'", dir);
	r = check_out(of, &git, why);
	if (!r)
		r = kinds_count(&kinds, &git, of->project->attributes.len > 0,
				why);
	if (!r)
		r = kinds_write(&kinds, dir, why);
	if (!r)
		r = templatestore_measure(dir, why);
	return r < 0 ? r : settle_time(index, why);
}

static int make(const struct subject *of, const char *above, const char *dir,
		struct why *why)
{
	autofree char *new = alloc_text("%s/new", above);
	struct why lost = { 0 };
	int r = file_remove_tree(AT_FDCWD, new, why);

	if (!r)
		r = file_remove_tree(AT_FDCWD, dir, why);
	if (!r)
		r = fill(of, new, why);
	if (!r && rename(new, dir) < 0)
		r = why_sys(why, errno, "cannot make '%s'", dir);
	if (r < 0)
		(void)file_remove_tree(AT_FDCWD, new, &lost);
	return r;
}

/* Of an index that indexed_is() cannot read git itself says it. */
static bool is_as_indexed(struct git *git)
{
	static const char *const changed[] = { "diff-files", "--quiet",
					       "--ignore-submodules=dirty",
					       "--", NULL };
	static const char *const others[] = { "ls-files", "--others",
					      "--directory", "-z", NULL };
	autoclose int out_fd = memfd_create("others", MFD_CLOEXEC);
	struct git beside = *git;
	struct why why = { 0 };
	struct stat st;
	pid_t pid;
	bool same;

	beside.out_fd = out_fd;
	if (out_fd < 0 || git_start(&beside, others, &pid, &why) < 0)
		return false;
	same = !git_run(git, changed, &why);
	return !child_wait(pid, "git", &why) && same && !fstat(out_fd, &st) &&
	       !st.st_size;
}

/*
 * By the stat data of each file, as git trusts it in any working tree: of what
 * was not on the disk yet when the machine went down these differ, or the paths
 * of an index that was not.  A hidden file is none of git's, which passes it
 * over.
 */
static bool is_whole(const struct subject *of, const char *dir)
{
	autofree char *files = alloc_text("%s/files", dir);
	autofree char *index = alloc_text("%s/index", dir);
	struct git git = git_on(of->space, files, index);
	autoprogress struct progress progress = { 0 };
	struct stat st;
	int r;

	progress_begin(&progress, "looking at the kept checkout");
	if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & 077) ||
	    access(index, R_OK) < 0)
		return false;
	r = indexed_is(files, index, of->space->sha256);
	return (r < 0 ? is_as_indexed(&git) : r) &&
	       hidden_is_noticed(of->hidden, files);
}

/* ---- taking one --------------------------------------------------------- */

static int take(const struct subject *of, const char *above, struct why *why)
{
	struct space *space = of->space;
	autofree char *name = template_name(of->project, of->hidden);
	autofree char *dir = alloc_text("%s/%s", above, name);
	autofree char *files = alloc_text("%s/files", dir);
	int r = 0;

	/* One that is not as it should be stays for whoever has it. */
	if (!is_whole(of, dir)) {
		if (templatestore_users(dir))
			return why_set(why, ESTALE,
				       "the template '%s' was changed, and "
				       "workspaces need it",
				       dir);
		r = make(of, above, dir, why);
	}
	if (!r)
		r = templatestore_use(dir, space->dir, why);
	if (!r)
		r = space_lay(space, span_of(files), why);
	return r < 0 ? r : space_save(space, why);
}

int template_take(struct space *space, const struct project *project,
		  const struct hidden *hidden, struct why *why)
{
	const struct subject of = { space, project, hidden };
	autofree char *name = project_name(project);
	autobuf struct buf above = { 0 };
	autoclose int lock_fd = templatestore_open(&above, name, why);
	int r = lock_fd < 0 ? lock_fd : 0;

	if (!r)
		r = repo_write(buf_str(&above), TEMPLATESTORE_PROJECT,
			       buf_span(&project->root), why);
	if (!r)
		r = take(&of, buf_str(&above), why);
	if (!r)
		templatestore_spare(buf_str(&above), TEMPLATE_SPARE);
	return r;
}

int template_kinds(struct kinds *kinds, const struct space *space)
{
	autofree char *dir = alloc_text("%s/..", buf_str(&space->below));

	return kinds_read(kinds, dir);
}

int template_index(const struct space *space, const char *git_dir,
		   struct why *why)
{
	autofree char *from = alloc_text("%s/../index", buf_str(&space->below));
	autofree char *to = alloc_text("%s/index", git_dir);
	autoclose int from_fd = open(from, O_RDONLY | O_CLOEXEC);
	autoclose int to_fd =
		open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int r = from_fd < 0 || to_fd < 0 ? -errno : file_copy(to_fd, from_fd);

	return r < 0 ? why_sys(why, -r, "cannot make '%s'", to) : 0;
}
