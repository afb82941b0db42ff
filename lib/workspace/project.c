/* SPDX-License-Identifier: ISC */
#include "workspace/project.h"

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
#include "workspace/beneath.h"
#include "workspace/quote.h"
#include "workspace/stores.h"
#include "workspace/whereis.h"

/* Of the files in .git that are read whole, none is larger than this. */
#define PROJECT_FILE_MAX ((size_t)16 << 20)

static int refuse(struct why *why, const char *dir, const char *kind)
{
	return why_set(why, EINVAL, "cannot use '%s': %s", dir, kind);
}

/* git tells which directory it is; see git-config(1), safe.directory. */
static int refuse_foreign(const struct git *git, struct why *why)
{
	static const char before[] = "detected dubious ownership in repository "
				     "at '";
	const char *at = strstr(git->said, before);
	const char *end = at ? strrchr(git->said, '\'') : NULL;
	autobuf struct buf dir = { 0 };

	if (!at)
		return 1;
	at += strlen(before);
	/* What was cut is no path. */
	if (end < at)
		return refuse(why, git->dir, git->said);
	quote_shell(&dir, (struct span){ at, (size_t)(end - at) });
	return why_set(why, EINVAL,
		       "cannot use '%s': dubious ownership, it is another "
		       "user's; 'git config --global --add safe.directory %s' "
		       "trusts it",
		       git->dir, buf_str(&dir));
}

/* Says which of the things that are no working tree @dir is. */
static int find_root(struct buf *root, struct git *git, struct why *why)
{
	static const char *const ask[] = { "rev-parse", "--is-bare-repository",
					   NULL };
	static const char *const top[] = { "rev-parse", "--show-toplevel",
					   NULL };
	autobuf struct buf bare = { 0 };
	int r;

	r = git_one(git, ask, &bare, why);
	if (r > 0 && strstr(git->said, "not a git repository"))
		return why_set(why, ENOTDIR,
			       "cannot use '%s': it is not in a git project",
			       git->dir);
	if (r > 0 && refuse_foreign(git, why) < 0)
		return -why->errnum;
	if (r)
		return git_settle(git, r, "read the git project", why);
	if (!strcmp(buf_str(&bare), "true"))
		return refuse(why, git->dir,
			      "it is a bare repository, which has no files to "
			      "work on; 'git clone' or 'git worktree add' "
			      "makes a project of it");
	r = git_one(git, top, root, why);
	if (r > 0 && strstr(git->said, "must be run in a work tree"))
		return refuse(why, git->dir,
			      "it is inside a .git directory, not in the work "
			      "tree that this is of");
	if (r > 0)
		return refuse(why, git->dir, git->said);
	if (!r && (root->full || root->data[0] != '/'))
		return refuse(why, git->dir, "git does not tell where it is");
	return r;
}

/*
 * By core.worktree a repository takes any directory for its working tree; one
 * that is has a .git that leads back.
 */
static int check_root(const struct buf *root, const struct git *from,
		      struct why *why)
{
	static const char *const own[] = { "rev-parse", "--absolute-git-dir",
					   NULL };
	autobuf struct buf git_dir = { 0 };
	autobuf struct buf back = { 0 };
	struct git git = *from;
	int r = git_one(&git, own, &git_dir, why);

	if (r)
		return git_settle(&git, r, "read the git project", why);
	git.dir = buf_str(root);
	r = git_one(&git, own, &back, why);
	if (r < 0)
		return r;
	return !r && !strcmp(buf_str(&back), buf_str(&git_dir))
		       ? 0
		       : why_set(why, EINVAL,
				 "cannot use '%s': its core.worktree is '%s', "
				 "which has no .git that leads back to it",
				 from->dir, buf_str(root));
}

int project_plain_root(struct buf *root, const char *dir, struct why *why)
{
	autofree char *real = realpath(dir, NULL);
	autofree char *git = real ? alloc_text("%s/.git", real) : NULL;
	struct stat st;

	if (!real || stat(real, &st) < 0)
		return why_sys(why, errno, "cannot use '%s'", dir);
	if (!S_ISDIR(st.st_mode))
		return why_sys(why, ENOTDIR, "cannot use '%s'", dir);
	if (!lstat(git, &st))
		return why_set(why, EINVAL,
			       "cannot use '%s': it has a .git, and git does "
			       "not take that for a repository",
			       dir);
	buf_adds(root, real);
	return 0;
}

int project_root(struct buf *root, const char *dir, struct why *why)
{
	autosettings struct settings settings = { 0 };
	struct git git = GIT_CALL(.dir = dir, .env = &settings.trust);
	int r = settings_read(&settings, dir, why);

	if (!r)
		r = find_root(root, &git, why);
	if (!r && settings.worktree)
		r = check_root(root, &git, why);
	return r == -ENOTDIR ? project_plain_root(root, dir, why) : r;
}

static int find_dirs(struct project *p, struct why *why)
{
	static const char *const own[] = { "rev-parse", "--absolute-git-dir",
					   NULL };
	static const char *const common[] = { "rev-parse",
					      "--path-format=absolute",
					      "--git-common-dir", NULL };
	static const char *const format[] = { "rev-parse",
					      "--show-object-format", NULL };
	autobuf struct buf word = { 0 };
	struct git git =
		GIT_CALL(.dir = buf_str(&p->root), .env = &p->settings.trust);
	int r = git_one(&git, own, &p->git_dir, why);

	if (!r)
		r = git_one(&git, common, &p->common_dir, why);
	if (!r)
		r = git_one(&git, format, &word, why);
	p->sha256 = !strcmp(buf_str(&word), "sha256");
	if (!r && !p->sha256 && strcmp(buf_str(&word), "sha1") != 0)
		return refuse(why, buf_str(&p->root),
			      "its objects have ids of an unknown kind");
	return git_settle(&git, r, "read the git project", why);
}

struct git project_git(const struct project *project)
{
	return GIT_CALL(.dir = buf_str(&project->root),
			.git_dir = buf_str(&project->git_dir),
			.keep_fd = project->keep_fd,
			.env = &project->settings.trust);
}

static int find_head(struct project *p, struct why *why)
{
	static const char *const name[] = { "symbolic-ref", "-q", "HEAD",
					    NULL };
	static const char *const commit[] = { "rev-parse", "-q", "--verify",
					      "HEAD^{commit}", NULL };
	struct git git = project_git(p);
	int r = git_one(&git, name, &p->branch, why);

	if (r > 1 || r < 0)
		return git_settle(&git, r, "read HEAD", why);
	if (!r && strncmp(buf_str(&p->branch), "refs/heads/", 11) != 0)
		return refuse(why, buf_str(&p->root),
			      "its HEAD names a reference that is no branch");
	if (r)
		buf_reset(&p->branch);
	r = git_one(&git, commit, &p->head, why);
	if (r < 0)
		return r;
	if (!r && git_is_id(buf_span(&p->head)))
		return 0;
	if (!r || !p->branch.len || git.said[0])
		return refuse(why, buf_str(&p->root),
			      "its HEAD names no commit");
	buf_reset(&p->head);
	return 0;
}

static void end_line(struct buf *bytes)
{
	if (bytes->len && bytes->data[bytes->len - 1] != '\n')
		buf_addc(bytes, '\n');
}

/* Appends a file of the person's, if there is one. */
static int add_file(struct buf *bytes, const struct buf *path, struct why *why)
{
	int r = path->len ? file_read_path(bytes, AT_FDCWD, buf_str(path),
					   PROJECT_FILE_MAX, why)
			  : 0;

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (!r)
		end_line(bytes);
	return r;
}

/*
 * Appends the file @name of the repository, which becomes one of the copy: with
 * a link, or a FIFO, whoever packed the repository chooses what that holds.
 *
 * Returns 1 if it is there.
 */
static int add_own(struct buf *bytes, const struct buf *git_dir,
		   const char *name, struct why *why)
{
	autoclose int dir_fd =
		open(buf_str(git_dir), O_PATH | O_DIRECTORY | O_CLOEXEC);
	autoclose int fd = dir_fd < 0 ? -errno : beneath_read(dir_fd, name);
	struct stat st;
	int r = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : 0;

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (!r)
		r = !S_ISREG(st.st_mode)
			    ? -ELOOP
			    : file_read(bytes, fd, PROJECT_FILE_MAX, why);
	if (r == -ELOOP)
		return why_set(why, ELOOP,
			       "cannot read '%s/%s': it is no file of the "
			       "repository's own",
			       buf_str(git_dir), name);
	if (r < 0)
		return why_sys(why, -r, "cannot read '%s/%s'", buf_str(git_dir),
			       name);
	end_line(bytes);
	return 1;
}

/* A copy can do without it. */
static int add_patterns(struct project *p, struct buf *bytes, const char *name,
			struct why *why)
{
	int r = add_own(bytes, &p->common_dir, name, why);

	if (r != -ELOOP)
		return r < 0 ? r : 0;
	*why = (struct why){ 0 };
	names_add(&p->links, span_of(name));
	return 0;
}

/* Without such a file a working tree has all files, by an empty one none. */
static int read_sparse(struct project *p, struct why *why)
{
	const int r =
		add_own(&p->sparse, &p->git_dir, "info/sparse-checkout", why);

	if (r > 0 && !p->sparse.len)
		buf_addc(&p->sparse, '\n');
	return r < 0 ? r : 0;
}

/*
 * In both kinds of file the later line counts, so the person's own file,
 * which git asks last, comes first.
 */
static int read_files(struct project *p, struct why *why)
{
	int r = add_file(&p->excludes, &p->settings.excludes, why);

	if (!r)
		r = add_patterns(p, &p->excludes, "info/exclude", why);
	if (!r)
		r = add_file(&p->attributes, &p->settings.attributes, why);
	if (!r)
		r = add_patterns(p, &p->attributes, "info/attributes", why);
	if (!r)
		r = add_own(&p->shallow, &p->common_dir, "shallow", why);
	return r < 0 ? r : p->settings.sparse ? read_sparse(p, why) : 0;
}

static void set_reflog(struct project *p)
{
	size_t i;

	for (i = 0; i < p->settings.trust.count; i++)
		names_add(&p->reflog, span_of(p->settings.trust.items[i]));
	if (p->settings.name.len) {
		autofree char *name = alloc_text("GIT_COMMITTER_NAME=%s",
						 buf_str(&p->settings.name));

		names_add(&p->reflog, span_of(name));
	}
	if (p->settings.email.len) {
		autofree char *email = alloc_text("GIT_COMMITTER_EMAIL=%s",
						  buf_str(&p->settings.email));

		names_add(&p->reflog, span_of(email));
	}
}

int project_open(struct project *project, const char *dir, struct why *why)
{
	struct git git = GIT_CALL(.dir = dir, .env = &project->settings.trust);
	int r = settings_read(&project->settings, dir, why);
	const int found = r < 0 ? r : whereis_find(project, dir, why);

	if (found < 0)
		return found;
	if (!found)
		r = find_root(&project->root, &git, why);
	if (!r && project->settings.worktree)
		r = check_root(&project->root, &git, why);
	if (!r && !found)
		r = find_dirs(project, why);
	if (!r && !found)
		r = find_head(project, why);
	if (!r)
		r = stores_find(project, why);
	if (!r)
		r = read_files(project, why);
	if (!r)
		set_reflog(project);
	return r;
}

int project_refs(const struct project *project, struct buf *refs,
		 struct why *why)
{
	static const char *const list[] = { "for-each-ref",
					    "--format=%(objectname) %(refname)",
					    "refs/heads", "refs/tags", NULL };
	struct git git = project_git(project);
	int r = git_read(&git, list, refs, why);

	return git_settle(&git, r, "list the project's branches", why);
}

void project_borrowed(const struct project *project, struct buf *list)
{
	size_t i;

	for (i = 0; i < project->stores.count; i++) {
		if (i)
			buf_addc(list, ':');
		quote_c(list, span_of(project->stores.items[i]));
	}
}

void project_drop(struct project *project)
{
	buf_drop(&project->root);
	buf_drop(&project->git_dir);
	buf_drop(&project->common_dir);
	buf_drop(&project->branch);
	buf_drop(&project->head);
	buf_drop(&project->tree);
	settings_drop(&project->settings);
	names_drop(&project->stores);
	names_drop(&project->outside);
	buf_drop(&project->excludes);
	buf_drop(&project->attributes);
	buf_drop(&project->shallow);
	buf_drop(&project->sparse);
	names_drop(&project->reflog);
	names_drop(&project->links);
	*project = (struct project){ 0 };
}
