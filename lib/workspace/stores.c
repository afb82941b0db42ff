/* SPDX-License-Identifier: ISC */
#include "workspace/stores.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"
#include "cow/node.h"
#include "workspace/project.h"
#include "workspace/quote.h"

/* A path of a working tree, with a newline behind it. */
#define BACK_MAX ((size_t)PATH_MAX + 1)

static bool is_below(const char *path, const char *dir)
{
	const size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (!path[len] || path[len] == '/');
}

/* ---- what is a store ----------------------------------------------------- */

static bool starts_one(const char *name, const char *const *starts)
{
	while (*starts && strncmp(name, *starts, strlen(*starts)) != 0)
		starts++;
	return *starts;
}

/* gitrepository-layout(5), and what git has there while it works. */
static bool is_in_store(const char *name)
{
	static const char *const others[] = { "tmp_",
					      "incoming-",
					      ".nfs",
					      "maintenance.lock",
					      "loose-object-idx",
					      NULL };

	return !strcmp(name, "pack") || !strcmp(name, "info") ||
	       (strlen(name) == 2 && strspn(name, "0123456789abcdef") == 2) ||
	       starts_one(name, others);
}

static bool is_in_pack(const char *name)
{
	static const char *const packs[] = { "pack-", "multi-pack-index",
					     "tmp_",  ".tmp-",
					     ".nfs",  NULL };

	return starts_one(name, packs);
}

/* Puts the first name that is not as @is_one has it into @other. */
static int find_other(struct buf *other, int owned_fd,
		      bool (*is_one)(const char *name))
{
	autoclose int fd = owned_fd;
	autoentries struct entries entries = { 0 };
	size_t i;
	int r = fd < 0 ? -errno : entries_read(&entries, fd);

	for (i = 0; !r && !other->len && i < entries.count; i++)
		if (!is_one(entries.names[i]))
			quote_line(other, span_of(entries.names[i]));
	return r;
}

static int open_dir(int dir_fd, const char *name)
{
	return openat(dir_fd, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_trusted(const struct stat *st, const struct project *p)
{
	struct stat own;

	return st->st_uid == geteuid() || !st->st_uid ||
	       (!stat(buf_str(&p->common_dir), &own) &&
		st->st_uid == own.st_uid);
}

/* A session can read all that is in a store. */
static int check_store(const struct project *p, const char *path,
		       struct why *why)
{
	autoclose int fd = open_dir(AT_FDCWD, path);
	autobuf struct buf other = { 0 };
	struct stat st;
	int r = fd < 0 || fstat(fd, &st) < 0 ? -errno : 0;

	if (!r && !is_trusted(&st, p))
		return why_set(why, EINVAL,
			       "cannot use '%s': it has objects in '%s', which "
			       "is another user's",
			       buf_str(&p->root), path);
	if (!r)
		r = find_other(&other, open_dir(fd, "."), is_in_store);
	if (!r && !other.len)
		r = find_other(&other, open_dir(fd, "pack"), is_in_pack);
	if (r < 0 && r != -ENOENT && r != -ENOTDIR)
		return why_sys(why, -r, "cannot look at '%s'", path);
	if (!r && !other.len)
		return 0;
	return why_set(why, EINVAL,
		       "cannot use '%s': it has objects in '%s', which is no "
		       "store of git's%s%s%s",
		       buf_str(&p->root), path, r ? "" : ": it holds '",
		       r ? "" : buf_str(&other), r ? "" : "'");
}

/* ---- where it is --------------------------------------------------------- */

/* Whether the repository names this working tree as one of its own. */
static bool leads_back(const struct project *p)
{
	autofree char *list = alloc_text("%s/gitdir", buf_str(&p->git_dir));
	autofree char *own = alloc_text("%s/.git", buf_str(&p->root));
	autobuf struct buf back = { 0 };
	struct why why = { 0 };
	struct stat st, there;

	if (!is_below(buf_str(&p->git_dir), buf_str(&p->common_dir)))
		return false;
	if (p->settings.worktree)
		return true;
	if (file_read_path(&back, AT_FDCWD, list, BACK_MAX, &why) < 0)
		return false;
	while (back.len && back.data[back.len - 1] == '\n')
		back.data[--back.len] = '\0';
	autoclose int dir_fd =
		open(buf_str(&p->git_dir), O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir_fd >= 0 && !stat(own, &st) &&
	       !fstatat(dir_fd, buf_str(&back), &there, 0) &&
	       st.st_dev == there.st_dev && st.st_ino == there.st_ino;
}

static bool is_outside(const struct project *p, const char *path)
{
	return !is_below(path, buf_str(&p->root)) &&
	       !(is_below(path, buf_str(&p->common_dir)) && leads_back(p));
}

static int add_store(struct project *p, const char *path, bool own,
		     struct why *why)
{
	autofree char *real = realpath(path, NULL);
	int r;

	if (!real)
		return why_sys(why, errno, "cannot find the objects in '%s'",
			       path);
	r = own && !strcmp(real, path) ? 0 : check_store(p, real, why);
	if (r < 0)
		return r;
	names_add(&p->stores, span_of(real));
	if (is_outside(p, real))
		names_add(&p->outside, span_of(real));
	return 0;
}

/* git itself follows the list of stores, so that we read it as it does. */
static int add_borrowed(struct project *p, struct why *why)
{
	static const char *const count[] = { "count-objects", "-v", NULL };
	static const char mark[] = "alternate: ";
	autobuf struct buf out = { 0 };
	autonames struct names lines = { 0 };
	struct git git = project_git(p);
	int r = git_read(&git, count, &out, why);
	size_t i;

	r = git_settle(&git, r, "list the project's object stores", why);
	names_split(&lines, buf_span(&out), '\n');
	for (i = 0; !r && i < lines.count; i++) {
		autobuf struct buf path = { 0 };

		if (strncmp(lines.items[i], mark, sizeof(mark) - 1) != 0)
			continue;
		if (quote_c_read(&path, span_of(lines.items[i] + sizeof(mark) -
						1)) < 0)
			return why_set(why, EINVAL,
				       "cannot use '%s': it borrows objects "
				       "from a place with a name that cannot "
				       "be read",
				       buf_str(&p->root));
		r = add_store(p, buf_str(&path), false, why);
	}
	return r;
}

int stores_find(struct project *p, struct why *why)
{
	autofree char *own = alloc_text("%s/objects", buf_str(&p->common_dir));
	autofree char *list = alloc_text("%s/info/alternates", own);
	int r = add_store(p, own, true, why);

	if (!r && !access(list, F_OK))
		r = add_borrowed(p, why);
	return r;
}
