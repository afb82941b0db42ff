/* SPDX-License-Identifier: ISC */
#include "workspace/indexlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/why.h"

static char *lock_path(const struct project *p)
{
	return alloc_text("%s/index.lock", buf_str(&p->git_dir));
}

/* A name that no git gives to a file: what is there is this session's. */
static char *own_path(const struct space *s, const struct project *p)
{
	return alloc_text("%s/chock-%s.index", buf_str(&p->git_dir),
			  buf_str(&s->id));
}

static bool is_ours(const struct space *s, const char *lock)
{
	autofree char *mark = alloc_text("chock %s\n", buf_str(&s->id));
	autobuf struct buf bytes = { 0 };
	struct why lost = { 0 };

	return !file_read_path(&bytes, AT_FDCWD, lock, strlen(mark), &lost) &&
	       span_equal(buf_span(&bytes), span_of(mark));
}

static int make_own(const char *path, mode_t mode, struct why *why)
{
	int fd;

	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return fd < 0 ? why_sys(why, errno, "cannot make '%s'", path) : fd;
}

int indexlock_take(struct indexlock *indexlock, const struct space *s,
		   const struct project *p, struct why *why)
{
	autofree char *lock = lock_path(p);
	autofree char *own = own_path(s, p);
	autofree char *mark = alloc_text("chock %s\n", buf_str(&s->id));
	autoclose int fd = make_own(own, 0600, why);
	int r;

	if (fd < 0)
		return fd;
	r = file_write(fd, span_of(mark));
	if (!r && fsync(fd) < 0)
		r = -errno;
	if (!r && link(own, lock) < 0)
		r = -errno;
	(void)unlink(own);
	if (r == -EEXIST && is_ours(s, lock))
		r = 0;
	if (r == -EEXIST)
		return why_set(why, EAGAIN, "another git has locked '%s'",
			       lock);
	if (r < 0)
		return why_sys(why, -r, "cannot lock '%s'", lock);
	indexlock->lock = lock;
	lock = NULL;
	return 0;
}

/*
 * With the time of the copy: git trusts an index on a file only if the file is
 * older than the index.
 */
static int copy(int to_fd, int from_fd, mode_t mode)
{
	struct stat st;
	int r;

	if (fstat(from_fd, &st) < 0 || fchmod(to_fd, mode) < 0)
		return -errno;
	r = file_copy(to_fd, from_fd);
	if (r < 0)
		return r;
	return futimens(to_fd, (const struct timespec[]){ st.st_atim,
							  st.st_mtim }) < 0 ||
			       fsync(to_fd) < 0
		       ? -errno
		       : 0;
}

int indexlock_place(const struct space *s, const struct project *p,
		    struct why *why)
{
	autofree char *index = alloc_text("%s/index", buf_str(&p->git_dir));
	autofree char *own = own_path(s, p);
	autoclose int from_fd = open(s->index, O_RDONLY | O_CLOEXEC);
	autoclose int to_fd = -1;
	struct stat st;
	int r;

	if (from_fd < 0 || stat(index, &st) < 0)
		return why_sys(why, errno, "cannot copy '%s'", s->index);
	to_fd = make_own(own, 0600, why);
	if (to_fd < 0)
		return to_fd;
	r = copy(to_fd, from_fd, st.st_mode & 0777);
	if (!r && rename(own, index) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(own);
	else
		r = file_sync_dir(buf_str(&p->git_dir));
	return r < 0 ? why_sys(why, -r, "cannot write '%s'", index) : 0;
}

int indexlock_clear(const struct space *s, const struct project *p,
		    struct why *why)
{
	autofree char *lock = lock_path(p);
	autofree char *own = own_path(s, p);

	if (unlink(own) < 0 && errno != ENOENT)
		return why_sys(why, errno, "cannot remove '%s'", own);
	return is_ours(s, lock) && unlink(lock) < 0
		       ? why_sys(why, errno, "cannot remove '%s'", lock)
		       : 0;
}

void indexlock_end(struct indexlock *indexlock)
{
	if (indexlock->lock)
		(void)unlink(indexlock->lock);
	free(indexlock->lock);
	indexlock->lock = NULL;
}
