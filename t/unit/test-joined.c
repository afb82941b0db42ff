/* SPDX-License-Identifier: ISC */
/* The workspace's index has all entries in itself, and is else as it was. */

#include <dirent.h>

#include "repository.h"
#include "tap.h"
#include "workspace/dirt.h"
#include "workspace/joined.h"

static struct space space;
static struct project project;

/* The bytes of an index; empty: there is none. */
static void read_index(struct buf *bytes, const char *path)
{
	struct why why = { 0 };

	buf_reset(bytes);
	(void)file_read_path(bytes, AT_FDCWD, path, BUF_MAX, &why);
}

static bool is_joined(void)
{
	struct why why = { 0 };

	return !joined_index(&space, &project, &why);
}

/* What git makes of the workspace's copy alone. */
static bool lists_all(void)
{
	static const char *const args[] = { "ls-files", "-z", NULL };
	autobuf struct buf out = { 0 };
	struct git git = space_git(&space);
	struct why why = { 0 };

	git.index = space.index;
	return !git_read(&git, args, &out, &why) && out.len == 6 &&
	       !memcmp(out.data, "a\0d/b", 6);
}

static bool has_shared(const char *dir)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };
	static const char *const args[] = { "rev-parse", "--shared-index-path",
					    NULL };
	struct git git = GIT_CALL(.dir = dir);

	return !git_one(&git, args, &path, &why) && path.len;
}

/* Whether nothing of it is left where a session's objects are put. */
static bool is_tidy(void)
{
	DIR *dir = opendir(space.quarantine);
	struct dirent *entry;
	bool tidy = dir;

	while (dir && (entry = readdir(dir)))
		tidy &= strncmp(entry->d_name, "sharedindex.", 12) != 0;
	return dir && !closedir(dir) && tidy;
}

static void a_whole_one_stays(void)
{
	autobuf struct buf before = { 0 };
	autobuf struct buf after = { 0 };
	struct stat was = { 0 }, is = { 0 };
	struct why why = { 0 };

	ok(repository_space(&space, &project) &&
		   !dirt_copy_index(&space, &project, &why) &&
		   !stat(space.index, &was),
	   "has a copy");
	read_index(&before, space.index);
	ok(is_joined(), "it is looked at");
	read_index(&after, space.index);
	ok(before.len && span_equal(buf_span(&before), buf_span(&after)),
	   "it stays, byte for byte");
	/* One that an index leaned on which is whole by now. */
	ok(repository_put("p/.git/sharedindex.x", "old") && is_joined(),
	   "a second file that nothing leans on is passed over");
	read_index(&after, space.index);
	ok(span_equal(buf_span(&before), buf_span(&after)) &&
		   !stat(space.index, &is) && is.st_ino == was.st_ino,
	   "and has nothing written anew");
	ok(is_tidy(), "nor is it left in the quarantine");
}

static void a_split_one_is_joined(void)
{
	autobuf struct buf before = { 0 };
	autobuf struct buf after = { 0 };
	struct why why = { 0 };

	ok(DO("p", "update-index", "--split-index") && has_shared("p"),
	   "the project's is split");
	read_index(&before, "p/.git/index");
	ok(repository_space(&space, &project) &&
		   !dirt_copy_index(&space, &project, &why) && is_joined(),
	   "it is joined");
	ok(is_tidy() && lists_all(), "and has all entries in itself");
	read_index(&after, "p/.git/index");
	ok(span_equal(buf_span(&before), buf_span(&after)) && has_shared("p"),
	   "the project's stays as it was");
}

int main(void)
{
	ok(repository_make(), "finds room");
	a_whole_one_stays();
	a_split_one_is_joined();
	space_drop(&space);
	project_drop(&project);
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
