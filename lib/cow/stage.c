/* SPDX-License-Identifier: ISC */
#include "cow/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/why.h"
#include "cow/copy.h"
#include "cow/node.h"

#define JOURNAL_UNFINISHED "journal.new"

struct filling {
	struct journal *journal;
	const struct layerdiff *diff;
	int stage_fd;
};

const char *stage_new(char name[STAGE_NAME_MAX], size_t index)
{
	(void)snprintf(name, STAGE_NAME_MAX, "new-%zu", index);
	return name;
}

const char *stage_old(char name[STAGE_NAME_MAX], size_t index)
{
	(void)snprintf(name, STAGE_NAME_MAX, "old-%zu", index);
	return name;
}

static int open_dir(int in_fd, const char *name)
{
	int fd = openat(in_fd, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int stage_make(int in_fd, const char *name, struct why *why)
{
	int fd;

	if (mkdirat(in_fd, name, 0700) < 0)
		return why_sys(why, errno, "cannot make '%s'", name);
	fd = open_dir(in_fd, name);
	return fd < 0 ? why_sys(why, -fd, "cannot open '%s'", name) : fd;
}

int stage_open(int in_fd, const char *name, struct why *why)
{
	autoclose int fd = open_dir(in_fd, name);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return why_sys(why, fd < 0 ? -fd : errno, "cannot open '%s'",
			       name);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return why_set(why, EPERM,
			       "'%s' is not a directory of the caller's alone",
			       name);
	return take_fd(&fd);
}

int stage_is_whole(int in_fd, const char *name, struct why *why)
{
	autoclose int fd = stage_open(in_fd, name, why);
	struct stat st;
	int r = fd < 0 ? fd : node_stat(fd, STAGE_JOURNAL, &st);

	return r < 0 && fd >= 0
		       ? why_sys(why, -r, "cannot look into '%s'", name)
		       : r;
}

int stage_set_owner(int stage_fd, const char *owner, struct why *why)
{
	autofree char *line = alloc_text("%s\n", owner);
	autoclose int fd = openat(
		stage_fd, STAGE_OWNER,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : file_write(fd, span_of(line));

	return r < 0 ? why_sys(why, -r, "cannot write whose the stage is") : 0;
}

int stage_owner(struct buf *owner, int in_fd, const char *name, struct why *why)
{
	autoclose int fd = stage_open(in_fd, name, why);
	struct stat st;
	int r = fd < 0 ? fd : node_stat(fd, STAGE_OWNER, &st);

	if (fd < 0)
		return fd;
	if (r < 0)
		return why_sys(why, -r, "cannot look into '%s'", name);
	if (!r)
		return 0;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    file_read_path(owner, fd, STAGE_OWNER, STAGE_OWNER_MAX, why) < 0)
		return why_set(why, EBADMSG,
			       "what says whose '%s' is cannot be read", name);
	if (owner->len && owner->data[owner->len - 1] == '\n')
		owner->len--;
	return 0;
}

/* In the order in which a crash leaves either no journal or a whole stage. */
static int write_journal(int stage_fd, const struct journal *journal,
			 struct why *why)
{
	autobuf struct buf text = { 0 };
	autoclose int fd = openat(
		stage_fd, JOURNAL_UNFINISHED,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : 0;

	journal_print(&text, journal);
	if (!r && text.full)
		return why_set(why, EFBIG, "there are too many changes");
	if (!r)
		r = file_write(fd, buf_span(&text));
	if (!r && (syncfs(stage_fd) < 0 || fsync(fd) < 0 ||
		   renameat(stage_fd, JOURNAL_UNFINISHED, stage_fd,
			    STAGE_JOURNAL) < 0 ||
		   fsync(stage_fd) < 0))
		r = -errno;
	return r < 0 ? why_sys(why, -r, "cannot write the journal") : 0;
}

static void left_out(void *context, const char *path, const char *what)
{
	const struct layerdiff *diff = ((struct filling *)context)->diff;

	if (diff->left_out)
		diff->left_out(diff->context, path, what);
}

/* Copies to the staged name, whose inode the journal keeps. */
static int copy_new(struct journal_op *op, const struct copy *copy,
		    const struct layerdiff_change *change,
		    const struct filling *filling)
{
	char name[STAGE_NAME_MAX];
	struct stat st;
	int r;

	(void)stage_new(name, filling->journal->count);
	r = copy_tree(copy, change->upper_fd, change->name, filling->stage_fd,
		      name);
	if (r < 0)
		return r;
	r = node_stat(filling->stage_fd, name, &st);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	op->new_ino = st.st_ino;
	return 0;
}

static int stage_change(void *context, const struct layerdiff_change *change,
			struct why *why)
{
	const struct filling *filling = context;
	const struct copy copy = { .own = true,
				   .path = change->path,
				   .left_out = left_out,
				   .context = context };
	struct journal_op op = { .kind = change->kind == LAYERDIFF_MODE
						 ? JOURNAL_MODE
						 : JOURNAL_SWAP,
				 .changed = change->changed };
	int r = 0;

	if (change->has_old)
		op.old = journal_old_of(&change->old_st);
	if (change->has_new)
		op.new_mode = change->new_st.st_mode & (S_IFMT | NODE_MODE);
	if (op.kind == JOURNAL_SWAP && change->has_new)
		r = copy_new(&op, &copy, change, filling);
	if (r < 0)
		return why_sys(why, -r, "cannot stage '%s'", change->path);
	op.path = alloc_copy(change->path, strlen(change->path));
	r = journal_add(filling->journal, &op);
	if (r < 0)
		free(op.path);
	return r < 0 ? why_set(why, -r, "there are too many changes") : 0;
}

int stage_fill(struct journal *journal, int stage_fd,
	       const struct layerdiff *diff, struct why *why)
{
	struct filling filling = { journal, diff, stage_fd };
	const struct layerdiff staging = { .upper_fd = diff->upper_fd,
					   .lower_fd = diff->lower_fd,
					   .since = diff->since,
					   .before = diff->before,
					   .lower_st = diff->lower_st,
					   .change = stage_change,
					   .left_out = left_out,
					   .context = &filling };
	int r;

	journal->since = diff->since;
	r = layerdiff_tell(&staging, why);
	return r < 0 ? r : write_journal(stage_fd, journal, why);
}

int stage_copy(struct journal *journal, int stage_fd, int from_fd,
	       struct why *why)
{
	struct copy copy = { .own = true };
	char name[STAGE_NAME_MAX];
	struct stat st;
	size_t i;
	int r;

	for (i = 0; i < journal->count; i++) {
		if (!journal->ops[i].new_ino)
			continue;
		copy.path = journal->ops[i].path;
		(void)stage_new(name, i);
		r = copy_tree(&copy, from_fd, name, stage_fd, name);
		if (!r && node_stat(stage_fd, name, &st) <= 0)
			r = -ENOENT;
		if (r < 0)
			return why_sys(why, -r, "cannot stage '%s'",
				       journal->ops[i].path);
		journal->ops[i].new_ino = st.st_ino;
	}
	return write_journal(stage_fd, journal, why);
}

int stage_again(struct journal *journal, int stage_fd, struct why *why)
{
	struct stat st;

	if (unlinkat(stage_fd, JOURNAL_UNFINISHED, 0) < 0 && errno != ENOENT)
		return why_sys(why, errno, "cannot remove a journal");
	if (fchmod(stage_fd, 0700) < 0 || fstat(stage_fd, &st) < 0)
		return why_sys(why, errno, "cannot look at the stage");
	journal->since = st.st_ctim;
	return write_journal(stage_fd, journal, why);
}

int stage_read(struct journal *journal, int stage_fd, struct why *why)
{
	autoclose int fd =
		openat(stage_fd, STAGE_JOURNAL,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot open the journal");
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return why_set(why, EBADMSG, "the journal is no file of ours");
	r = journal_read(journal, fd, why);
	return r < 0 ? why_within(why, "cannot read the journal") : 0;
}

int stage_remove(int in_fd, const char *name, struct why *why)
{
	autoclose int fd = open_dir(in_fd, name);

	if (fd < 0)
		return why_sys(why, -fd, "cannot open '%s'", name);
	if (syncfs(fd) < 0)
		return why_sys(why, errno, "cannot write to the disk");
	if (unlinkat(fd, STAGE_JOURNAL, 0) < 0 && errno != ENOENT)
		return why_sys(why, errno, "cannot remove the journal");
	if (fsync(fd) < 0)
		return why_sys(why, errno, "cannot write to the disk");
	return file_remove_tree(in_fd, name, why);
}
