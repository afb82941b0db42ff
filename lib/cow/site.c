/* SPDX-License-Identifier: ISC */
#include "cow/site.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"
#include "cow/node.h"

#define BITS_ALL 07777U

void site_close(const struct site *site)
{
	auto_close(&site->parent_fd);
}

static int look_at(int dir_fd, const char *name, uint64_t *ino, struct stat *st)
{
	int r = node_stat(dir_fd, name, st);

	*ino = r > 0 ? st->st_ino : 0;
	return r < 0 ? r : 0;
}

int site_look(struct site *site, const struct land *land)
{
	struct stat st;
	int r = look_at(land->stage_fd, site->new_name, &site->new_at, &st);

	if (!r)
		r = look_at(land->stage_fd, site->old_name, &site->old_at, &st);
	if (r < 0 || site->parent_fd < 0)
		return r;
	return look_at(site->parent_fd, site->name, &site->at, &site->st);
}

int site_open(struct site *site, const struct land *land, size_t index,
	      struct why *why)
{
	int r;

	site->op = &land->journal->ops[index];
	(void)stage_new(site->new_name, index);
	(void)stage_old(site->old_name, index);
	site->parent_fd =
		node_parent(land->dir_fd, site->op->path, &site->name);
	r = site_look(site, land);
	if (!r && site->parent_fd < 0)
		r = site->parent_fd;
	if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP || r == -EXDEV)
		return why_set(why, ESTALE,
			       "'%s' is no longer in the directory that it "
			       "was in",
			       site->op->path);
	return r < 0 ? why_sys(why, -r, "cannot look at '%s'", site->op->path)
		     : 0;
}

static bool is_landed(const struct site *site)
{
	if (site->op->new_ino)
		return site->at == site->op->new_ino;
	return !site->at && site->old_at;
}

bool site_is_begun(const struct site *site)
{
	return is_landed(site) || site->old_at ||
	       (site->new_at && site->new_at != site->op->new_ino);
}

/* rename(2) leaves all of these alone. */
bool site_is_old(const struct journal_old *old, const struct stat *st)
{
	if (st->st_ino != old->ino || (st->st_mode ^ old->mode) & S_IFMT ||
	    st->st_mtim.tv_sec != old->mtime.tv_sec ||
	    st->st_mtim.tv_nsec != old->mtime.tv_nsec)
		return false;
	return S_ISDIR(st->st_mode) || (uint64_t)st->st_size == old->size;
}

/* A directory that moves is written to, and must let its owner do that. */
int site_set_movable(int dir_fd, const char *name, const struct stat *st)
{
	if (!S_ISDIR(st->st_mode) || (st->st_mode & S_IRWXU) == S_IRWXU)
		return 0;
	return node_chmod(dir_fd, name, (st->st_mode & BITS_ALL) | S_IRWXU);
}

int site_set_mode(int dir_fd, const char *name, mode_t mode)
{
	struct stat st;
	int r = node_stat(dir_fd, name, &st);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	mode = (mode & NODE_MODE) | (st.st_mode & BITS_ALL & ~NODE_MODE);
	if (mode == (st.st_mode & BITS_ALL)) /* its ctime stays as well */
		return 0;
	return node_chmod(dir_fd, name, mode);
}

int site_move(int from_fd, const char *from, int to_fd, const char *to,
	      unsigned int flags)
{
	return renameat2(from_fd, from, to_fd, to, flags) < 0 ? -errno : 0;
}

/*
 * Without RENAME_NOREPLACE (NFS, some others: EINVAL): link(2) replaces
 * nothing, and a directory replaces nothing but an empty one.
 */
int site_move_onto_nothing(int from_fd, const char *from, int to_fd,
			   const char *to, bool is_dir)
{
	int r = site_move(from_fd, from, to_fd, to, RENAME_NOREPLACE);

	if (r != -EINVAL)
		return r;
	if (is_dir)
		return site_move(from_fd, from, to_fd, to, 0);
	if (linkat(from_fd, from, to_fd, to, 0) < 0)
		return -errno;
	return unlinkat(from_fd, from, 0) < 0 ? -errno : 0;
}
