/* SPDX-License-Identifier: ISC */
#include "workspace/recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "workspace/effect.h"
#include "workspace/journal.h"
#include "workspace/quote.h"

/* ---- locks --------------------------------------------------------------- */

static bool is_in(const char *path, const struct buf *dir)
{
	return !strncmp(path, buf_str(dir), dir->len) &&
	       (path[dir->len] == '/' || !path[dir->len]);
}

/* Whether the process @pid is a git that works in the project. */
static bool is_git_here(int proc_fd, const char *pid, const struct project *p)
{
	autofree char *comm = alloc_text("%s/comm", pid);
	autofree char *cwd = alloc_text("%s/cwd", pid);
	autobuf struct buf name = { 0 };
	struct why lost = { 0 };
	char at[4096];
	ssize_t len;

	if (file_read_path(&name, proc_fd, comm, 64, &lost) < 0 ||
	    strncmp(buf_str(&name), "git", 3) != 0)
		return false;
	len = readlinkat(proc_fd, cwd, at, sizeof(at) - 1);
	if (len <= 0)
		return false;
	at[len] = '\0';
	return is_in(at, &p->root) || is_in(at, &p->git_dir) ||
	       is_in(at, &p->common_dir);
}

static bool is_git_about(const struct project *p)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	bool found = false;

	while (proc && !found && (entry = readdir(proc)))
		found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			is_git_here(dirfd(proc), entry->d_name, p);
	if (proc)
		(void)closedir(proc);
	return found;
}

/* A lock of a reference holds the commit that only this apply writes there. */
static bool is_ours(const char *path, const struct journal *j)
{
	autobuf struct buf bytes = { 0 };
	struct why lost = { 0 };
	struct span id;

	if (file_read_path(&bytes, AT_FDCWD, path, 128, &lost) < 0)
		return false;
	id = buf_span(&bytes);
	id = span_cut(&id, '\n');
	return id.len && (span_equal(id, buf_span(&j->to)) ||
			  span_equal(id, buf_span(&j->work)));
}

static int remove_locks(const struct journal *j, const struct space *s,
			const struct project *p, struct why *why)
{
	autonames struct names paths = { 0 };
	const bool about = is_git_about(p);
	size_t i;

	journal_locks(&paths, s, p);
	for (i = 0; i < paths.count; i++) {
		const char *path = paths.items[i];

		if (access(path, F_OK) < 0)
			continue;
		if (about && !is_ours(path, j))
			return why_set(why, EAGAIN,
				       "'%s' may be of a git that runs; try "
				       "again when it ended",
				       path);
		if (unlink(path) < 0)
			return why_sys(why, errno, "cannot remove '%s'", path);
	}
	return 0;
}

/* ---- files --------------------------------------------------------------- */

/* The files that are not as @commit has them, by an index of our own. */
static int list_changed(struct names *changed, struct git *git,
			const char *commit, struct why *why)
{
	static const char *const refresh[] = { "update-index", "-q",
					       "--refresh", NULL };
	static const char *const diff[] = { "diff-files",
					    "--name-only",
					    "-z",
					    "--no-renames",
					    "--ignore-submodules=all",
					    NULL };
	const char *const read_tree[] = { "read-tree", commit, NULL };
	autobuf struct buf out = { 0 };
	int r = git_run(git, read_tree, why);

	if (!r)
		r = git_run(git, refresh, why);
	if (r == 1)
		r = 0;
	if (!r)
		r = git_read(git, diff, &out, why);
	names_split(changed, buf_span(&out), '\0');
	names_tidy(changed);
	return git_settle(git, r, "compare the project's files", why);
}

/* Whether @path begins as @blob does, and is no longer: it was cut off. */
static bool is_torn(struct git *git, int root_fd, const struct effect_change *c)
{
	const char *const args[] = { "cat-file", "blob", c->blob, NULL };
	autobuf struct buf is = { 0 };
	autobuf struct buf was = { 0 };
	struct why lost = { 0 };

	return c->blob && c->size < BUF_MAX &&
	       !file_read_path(&is, root_fd, c->path, BUF_MAX, &lost) &&
	       !git_read(git, args, &was, &lost) && is.len <= was.len &&
	       (!is.len || !memcmp(is.data, was.data, is.len));
}

/* Takes away a file that the apply added, and directories that it leaves. */
static void remove_added(int root_fd, const char *path)
{
	autofree char *part = alloc_copy(path, strlen(path));
	char *slash;

	if (unlinkat(root_fd, part, 0) < 0 && errno != ENOENT)
		return;
	while ((slash = strrchr(part, '/'))) {
		*slash = '\0';
		if (unlinkat(root_fd, part, AT_REMOVEDIR) < 0 &&
		    errno != ENOENT)
			return;
	}
}

/* What is to be done about the files. */
struct undoing {
	struct buf restore; /* paths, each with a NUL behind */
	struct buf what;    /* the first that is left as it is */
	size_t left;
};

/* Sees what became of the file of @c, and removes it if it was added. */
static void look_at(struct undoing *u, struct git *git, int root_fd,
		    const struct effect_change *c, bool as_to)
{
	struct stat st;
	const bool there = !fstatat(root_fd, c->path, &st, AT_SYMLINK_NOFOLLOW);

	/* What is in a directory there are files of their own. */
	if (there && S_ISDIR(st.st_mode)) {
		if (c->was != CHANGE_NOTHING)
			buf_add(&u->restore,
				(struct span){ c->path, strlen(c->path) + 1 });
		return;
	}
	if (there && (!as_to || c->mode == CHANGE_NOTHING) &&
	    !is_torn(git, root_fd, c)) {
		if (!u->left++)
			quote_line(&u->what, span_of(c->path));
		return;
	}
	if (c->was == CHANGE_NOTHING)
		remove_added(root_fd, c->path);
	else
		buf_add(&u->restore,
			(struct span){ c->path, strlen(c->path) + 1 });
}

static int look_at_all(struct undoing *u, struct git *git,
		       const struct effect *e, struct why *why)
{
	autoclose int root_fd =
		open(git->work_tree, O_PATH | O_DIRECTORY | O_CLOEXEC);
	autonames struct names not_from = { 0 };
	autonames struct names not_to = { 0 };
	size_t i;
	int r = list_changed(&not_to, git, buf_str(&e->to), why);

	/* The last one that is read is what files are restored from. */
	if (!r)
		r = list_changed(&not_from, git, buf_str(&e->from), why);
	for (i = 0; !r && i < e->change_count; i++) {
		const struct effect_change *c = &e->changes[i];

		if (c->was == CHANGE_NOTHING || names_has(&not_from, c->path))
			look_at(u, git, root_fd, c,
				!names_has(&not_to, c->path));
	}
	return r;
}

static int put_back(struct buf *what, const struct effect *e,
		    const struct space *s, const struct project *p,
		    struct why *why)
{
	static const char *const checkout[] = { "checkout-index", "-f", "-z",
						"--stdin", NULL };
	static const char *const refresh[] = { "update-index", "-q",
					       "--refresh", NULL };
	const char *const as_from[] = { "read-tree", buf_str(&e->from), NULL };
	autofree char *own = alloc_text("%s/index-recover", s->dir);
	autofree char *index = alloc_text("%s/index", buf_str(&p->git_dir));
	autobuf struct buf out = { 0 };
	struct undoing u = { .left = 0 };
	struct git git = space_git(s);
	int r;

	git.work_tree = buf_str(&p->root);
	space_fresh_index(own);
	git.index = own;
	r = look_at_all(&u, &git, e, why);
	if (!r && u.restore.len)
		r = git_settle(&git,
			       git_filter(&git, checkout, buf_span(&u.restore),
					  &out, why),
			       "put files back", why);
	git.index = index;
	if (!r)
		r = git_settle(&git, git_run(&git, as_from, why),
			       "put the index back", why);
	if (!r && git_run(&git, refresh, why) < 0)
		r = -why->errnum;
	buf_adds(what, "an apply that was cut off was undone");
	if (u.left)
		buf_addf(what,
			 ", but for %zu file%s that somebody changed since: %s",
			 u.left, u.left == 1 ? "" : "s", buf_str(&u.what));
	(void)unlink(own);
	buf_drop(&u.restore);
	buf_drop(&u.what);
	return r;
}

/* ---- all of it ----------------------------------------------------------- */

static int see_to(struct buf *what, const struct journal *j,
		  const struct space *s, const struct project *p,
		  struct why *why)
{
	autoeffect struct effect e = { 0 };
	int r;

	if (!j->to.len) {
		buf_adds(what, "an apply was cut off before it began");
		return 0;
	}
	r = remove_locks(j, s, p, why);
	if (r < 0)
		return r;
	if (span_equal(buf_span(&p->head), buf_span(&j->to))) {
		buf_adds(what, "an apply that was cut off had been finished");
		return 0;
	}
	if (!span_equal(buf_span(&p->head), buf_span(&j->from))) {
		buf_adds(what, "an apply was cut off, and the branch moved "
			       "since; the files are left as they are");
		return 0;
	}
	buf_add(&e.from, buf_span(&j->from));
	buf_add(&e.to, buf_span(&j->to));
	/* Without its objects nothing can have been done with them. */
	if (effect_compare(&e, s, &(struct why){ 0 }) < 0) {
		buf_adds(what, "an apply was cut off before it changed a file");
		return 0;
	}
	return put_back(what, &e, s, p, why);
}

int recover_apply(struct buf *what, const struct space *space,
		  const struct project *project, struct why *why)
{
	autojournal struct journal journal = JOURNAL_CLOSED;
	int r = journal_open(&journal, space, why);

	if (r <= 0)
		return r;
	r = space_quarantine(space, project, why);
	if (!r)
		r = see_to(what, &journal, space, project, why);
	return r < 0 ? why_within(why, "an apply was cut off")
		     : journal_end(&journal, space, why);
}
