/* SPDX-License-Identifier: ISC */
#include "workspace/dirt.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"

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
	return r < 0 ? why_sys(why, -r, "cannot copy '%s'", path) : 0;
}

static int list(struct names *names, struct git *git, const char *const *args,
		struct why *why)
{
	autobuf struct buf out = { 0 };
	int r = git_read(git, args, &out, why);

	r = git_settle(git, r, "compare the project's files", why);
	if (!r)
		names_split(names, buf_span(&out), '\0');
	return r;
}

static int list_changed(struct dirt *dirt, struct git *git,
			const struct project *p, struct why *why)
{
	/* With the index alone: the files are held against that below. */
	const char *const against_commit[] = { "diff-index",
					       "--cached",
					       "--name-only",
					       "-z",
					       "--no-renames",
					       "--ignore-submodules=dirty",
					       buf_str(&p->head),
					       "--",
					       NULL };
	static const char *const against_index[] = {
		"diff-files",
		"--name-only",
		"-z",
		"--no-renames",
		"--ignore-submodules=dirty",
		"--",
		NULL
	};
	static const char *const all[] = { "ls-files", "-z", NULL };
	int r = list(&dirt->changed, git, p->head.len ? against_commit : all,
		     why);

	if (!r)
		r = list(&dirt->changed, git, against_index, why);
	names_tidy(&dirt->changed);
	return r;
}

int dirt_find(struct dirt *dirt, const struct space *space,
	      const struct project *project, struct why *why)
{
	static const char *const refresh[] = { "update-index", "-q",
					       "--unmerged", "--refresh",
					       NULL };
	static const char *const others[] = { "ls-files", "-z", "--others",
					      "--exclude-standard", NULL };
	struct git git = space_git(space);
	int r = dirt_copy_index(space, project, why);

	if (r < 0)
		return r;
	git.work_tree = buf_str(&project->root);
	git.index = space->index;
	/* Says 1 where files changed; the lists below say which. */
	r = git_run(&git, refresh, why);
	if (r > 1 || r < 0)
		return git_settle(&git, r, "compare the project's files", why);
	r = list_changed(dirt, &git, project, why);
	if (!r)
		r = list(&dirt->untracked, &git, others, why);
	dirt->found = !r;
	return r;
}

void dirt_drop(struct dirt *dirt)
{
	names_drop(&dirt->changed);
	names_drop(&dirt->untracked);
	dirt->found = false;
}
