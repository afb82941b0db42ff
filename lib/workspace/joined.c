/* SPDX-License-Identifier: ISC */
#include "workspace/joined.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/git.h"
#include "workspace/names.h"

#define SHARED "sharedindex."

/* Which of them the index leans on only git can tell: each is brought. */
static int find_shared(struct names *names, const char *git_dir,
		       struct why *why)
{
	DIR *dir = opendir(git_dir);
	struct dirent *entry;
	int r;

	if (!dir)
		return why_sys(why, errno, "cannot open '%s'", git_dir);
	while ((errno = 0, entry = readdir(dir)))
		if (!strncmp(entry->d_name, SHARED, strlen(SHARED)))
			names_add(names, span_of(entry->d_name));
	r = errno ? why_sys(why, errno, "cannot read '%s'", git_dir) : 0;
	(void)closedir(dir);
	return r;
}

static int bring(const struct space *s, const struct project *p,
		 const char *name, struct why *why)
{
	autofree char *from = alloc_text("%s/%s", buf_str(&p->git_dir), name);
	autofree char *to = alloc_text("%s/%s", s->quarantine, name);
	autoclose int from_fd = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	autoclose int to_fd = -1;
	int r;

	/* git removes the old ones as it goes. */
	if (from_fd < 0 && errno == ENOENT)
		return 0;
	(void)unlink(to);
	to_fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	r = from_fd < 0 || to_fd < 0 ? -errno : file_copy(to_fd, from_fd);
	return r < 0 ? why_sys(why, -r, "cannot copy '%s'", from) : 0;
}

static int join(const struct space *s, struct why *why)
{
	static const char *const args[] = { "update-index", "--no-split-index",
					    NULL };
	struct git git = space_git(s);

	git.work_tree = buf_str(&s->project);
	git.index = s->index;
	return git_settle(&git, git_run(&git, args, why),
			  "join the project's split index", why);
}

/* A second file may have been left by an index that is whole by now. */
static int is_split(bool *split, const struct space *s, struct why *why)
{
	static const char *const args[] = { "rev-parse", "--shared-index-path",
					    NULL };
	struct git git = space_git(s);
	autobuf struct buf out = { 0 };
	int r;

	git.index = s->index;
	r = git_settle(&git, git_read(&git, args, &out, why),
		       "read the project's index", why);
	*split = out.len > 0;
	return r;
}

int joined_index(const struct space *space, const struct project *project,
		 struct why *why)
{
	autonames struct names names = { 0 };
	bool split = false;
	size_t i;
	int r = find_shared(&names, buf_str(&project->git_dir), why);

	for (i = 0; !r && i < names.count; i++)
		r = bring(space, project, names.items[i], why);
	if (!r && names.count)
		r = is_split(&split, space, why);
	if (!r && split)
		r = join(space, why);
	for (i = 0; i < names.count; i++) {
		autofree char *path =
			alloc_text("%s/%s", space->quarantine, names.items[i]);

		(void)unlink(path);
	}
	return r;
}
