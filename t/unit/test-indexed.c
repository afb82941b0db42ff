/* SPDX-License-Identifier: ISC */
/* A directory is what an index of git says, or it is not, or nobody can say. */

#include <errno.h>

#include "base/buf.h"
#include "repository.h"
#include "tap.h"
#include "workspace/indexed.h"

#define INDEX "p/.git/index"
#define FILES "f"

static struct buf bytes;

/* f is what the index says: git's own checkout, with an index of its own. */
static bool check_out(void)
{
	struct why why = { 0 };

	(void)file_remove_tree(AT_FDCWD, FILES, &why);
	return !mkdir(FILES, 0755) &&
	       DO("p", "--work-tree=../" FILES, "checkout", "-q", "-f", "main",
		  "--", ".") &&
	       DO("p", "--work-tree=../" FILES, "update-index", "--refresh");
}

static bool is(int want)
{
	return indexed_is(FILES, INDEX, false) == want;
}

static void files_are_looked_at(void)
{
	ok(check_out() && is(1), "what is as it was is the same");
	ok(repository_put(FILES "/c", "c") && is(0), "one more is not");
	ok(!unlink(FILES "/c") && is(1), "without it, it is again");
	ok(repository_put(FILES "/d/c", "c") && is(0), "nor is one below");
	ok(!unlink(FILES "/d/c") && is(1), "nor without it");
	ok(!mkdir(FILES "/e", 0755) && is(0), "an empty directory is one more");
	ok(!rmdir(FILES "/e") && repository_put(FILES "/a", "A\n") && is(0),
	   "other bytes, as many, are seen");
	ok(check_out() && !unlink(FILES "/d/b") && is(0), "one less is seen");
	ok(!rmdir(FILES "/d") && !symlink("..", FILES "/d") && is(0),
	   "a link is no directory");
	ok(check_out() && is(1), "a new checkout is the same");
}

static bool read_index(void)
{
	struct why why = { 0 };

	buf_reset(&bytes);
	return !file_read_path(&bytes, AT_FDCWD, INDEX, BUF_MAX, &why);
}

/* Whether all but the first @len bytes is enough for nothing else than a no. */
static bool is_cut(size_t len)
{
	return !indexed_bytes(FILES, (struct span){ bytes.data, len }, false);
}

static void the_index_must_be_whole(void)
{
	bool none = true;
	size_t len, i;

	ok(read_index() && indexed_bytes(FILES, buf_span(&bytes), false) == 1,
	   "is whole");
	for (len = 0; len < bytes.len; len++)
		none &= is_cut(len);
	ok(none, "nothing that is cut off anywhere is");
	for (i = 8; i < bytes.len; i++) {
		bytes.data[i] ^= 1;
		none &= is_cut(bytes.len);
		bytes.data[i] ^= 1;
	}
	ok(none, "nor is one of another byte");
	ok(indexed_bytes(FILES, buf_span(&bytes), true) == 0,
	   "nor one of another digest");
	/* As with index.skipHash, which not every git knows. */
	memset(bytes.data + bytes.len - 20, 0, 20);
	ok(indexed_bytes(FILES, buf_span(&bytes), false) == 1,
	   "one without a checksum is");
	ok(indexed_is(FILES, "p/nothing", false) == 0, "nor one that is gone");
}

/* What is behind the entries, of an index without a checksum. */
static void extensions_are_passed_over(void)
{
	static const char zeros[20];
	char *tree = memmem(bytes.data, bytes.len, "TREE", 4);

	ok(tree, "git kept trees in it");
	if (!tree)
		return;
	memcpy(tree, "link", 4);
	ok(indexed_bytes(FILES, buf_span(&bytes), false) == -ENOTSUP,
	   "one that git may not pass over is not either");
	memcpy(tree, "TREE", 4);
	memset(bytes.data + bytes.len - 40, 0, 20);
	ok(is_cut(bytes.len - 20), "one that is cut off is none");
	buf_cut(&bytes, (size_t)(tree - bytes.data));
	buf_add(&bytes, (struct span){ zeros, sizeof(zeros) });
	ok(indexed_bytes(FILES, buf_span(&bytes), false) == 1,
	   "there need be none");
	ok(is_cut(bytes.len - 1), "what fills up an entry is a part of it");
}

static void other_forms_are_left_to_git(void)
{
	ok(DO("p", "update-index", "--split-index") && is(-ENOTSUP),
	   "a split one is not read");
	ok(DO("p", "update-index", "--no-split-index") && is(1),
	   "one that was joined is");
	ok(DO("p", "update-index", "--index-version", "4") && is(-ENOTSUP),
	   "nor is version 4");
	ok(DO("p", "update-index", "--index-version", "2") && is(1),
	   "version 2 is");
	ok(DO("p", "update-index", "--skip-worktree", "a") && is(-ENOTSUP),
	   "nor what is left out of a sparse checkout");
	ok(DO("p", "update-index", "--no-skip-worktree", "a") && is(1),
	   "what is not left out is");
}

/* What git makes of a submodule that is not checked out. */
static void a_submodule_is_an_empty_directory(void)
{
	ok(DO("p", "update-index", "--add", "--cacheinfo",
	      "160000,0123456789012345678901234567890123456789,m") &&
		   is(0),
	   "without its directory it is not the same");
	ok(!mkdir(FILES "/m", 0755) && is(1), "an empty one is it");
	ok(repository_put(FILES "/m/x", "x") && is(0), "another is not");
}

/* ---- a working tree ------------------------------------------------------ */

static bool is_tracked(int want)
{
	static const char *const args[] = { "rev-parse", "HEAD^{tree}", NULL };
	struct git git = GIT_CALL(.dir = "p");
	autobuf struct buf tree = { 0 };
	struct why why = { 0 };

	return !git_one(&git, args, &tree, &why) &&
	       indexed_tracked("p", INDEX, false, buf_str(&tree)) == want;
}

/* Has the file be as old as that. */
static bool set_time(const char *path, time_t time)
{
	const struct timespec times[2] = { { .tv_sec = time },
					   { .tv_sec = time } };

	return !utimensat(AT_FDCWD, path, times, 0);
}

static bool refresh(void)
{
	return DO("p", "read-tree", "HEAD") &&
	       DO("p", "update-index", "--refresh");
}

static void a_working_tree_may_have_more(void)
{
	ok(refresh() && is_tracked(1), "what was committed is tracked");
	ok(repository_put("p/c", "c") && is_tracked(1), "with one more, too");
	ok(repository_put("p/a", "b\n") && is_tracked(0),
	   "other bytes, as many, are seen");
	ok(repository_put("p/a", "a\n") && refresh() && is_tracked(1),
	   "those that were there are not");
	ok(!chmod("p/d/b", 0755) && is_tracked(0), "one that runs is seen");
	ok(!chmod("p/d/b", 0644) && refresh() && !rename("p/d", "d") &&
		   !symlink("../d", "p/d") && is_tracked(0),
	   "a link is no directory");
	ok(!unlink("p/d") && is_tracked(0), "one less is seen");
	ok(!rename("d", "p/d") && refresh() && is_tracked(1),
	   "and nothing once it is back");
}

static void what_is_staged_is_seen(void)
{
	ok(DO("p", "add", "c") && is_tracked(-ENOTSUP), "one more is");
	ok(DO("p", "rm", "-q", "--cached", "c") && is_tracked(-ENOTSUP) &&
		   refresh() && is_tracked(1),
	   "none is where git says so");
	ok(DO("p", "add", "-N", "c") && is_tracked(-ENOTSUP),
	   "one that is meant to be is");
	ok(refresh() && DO("p", "update-index", "--assume-unchanged", "a") &&
		   is_tracked(-ENOTSUP),
	   "what is not to be looked at is left to git");
	ok(refresh() && indexed_tracked(
				"p", INDEX, false,
				"0123456789012345678901234567890123456789") ==
				-ENOTSUP,
	   "of another tree nothing is told");
}

static bool put_index(void)
{
	autoclose int fd = open(INDEX, O_WRONLY | O_TRUNC | O_CLOEXEC);

	return fd >= 0 && !file_write(fd, buf_span(&bytes));
}

static void what_is_as_young_as_the_index_is_read(void)
{
	struct stat st;
	char *id = NULL;

	ok(!stat("p/a", &st) && set_time(INDEX, st.st_mtim.tv_sec) &&
		   is_tracked(1),
	   "it is the same if its bytes are");
	/* A bit of its id, behind which are two bytes of flags. */
	ok(read_index() && (id = memmem(bytes.data, bytes.len, "\0\1a", 4)),
	   "it is found");
	if (!id)
		return;
	id[-1] ^= 1;
	memset(bytes.data + bytes.len - 20, 0, 20);
	ok(put_index() && set_time(INDEX, st.st_mtim.tv_sec) && is_tracked(0),
	   "and another if they are not");
	ok(set_time(INDEX, st.st_mtim.tv_sec + 1) && is_tracked(1),
	   "of an older one the times are enough");
}

int main(void)
{
	ok(repository_make(), "finds room");
	files_are_looked_at();
	the_index_must_be_whole();
	extensions_are_passed_over();
	other_forms_are_left_to_git();
	a_submodule_is_an_empty_directory();
	a_working_tree_may_have_more();
	what_is_staged_is_seen();
	what_is_as_young_as_the_index_is_read();
	buf_drop(&bytes);
	ok(scratch_leave(), "leaves nothing behind");
	return tap_end();
}
