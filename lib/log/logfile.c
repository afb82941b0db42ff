/* SPDX-License-Identifier: ISC */
#include "log/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/why.h"

/* Which byte of the file stands for which lock. */
#define SESSION_BYTE 0
#define WRITER_BYTE 1

/* O_NONBLOCK: to open a FIFO or a device must not wait for anybody. */
#define SAFELY (O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static struct flock one_byte(short type, off_t byte)
{
	return (struct flock){ .l_type = type,
			       .l_whence = SEEK_SET,
			       .l_start = byte,
			       .l_len = 1 };
}

static int take_session(int fd, struct why *why)
{
	struct flock lock = one_byte(F_WRLCK, SESSION_BYTE);

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	if (errno == EAGAIN || errno == EACCES)
		return why_set(why, EAGAIN,
			       "cannot lock the log: another writer holds it");
	return why_sys(why, errno, "cannot lock the log");
}

int logfile_running(int fd)
{
	struct flock lock = one_byte(F_WRLCK, SESSION_BYTE);

	if (fcntl(fd, F_OFD_GETLK, &lock) < 0)
		return -errno;
	return lock.l_type != F_UNLCK;
}

int logfile_begin(const struct logfile *log, struct why *why)
{
	struct flock lock = one_byte(F_WRLCK, WRITER_BYTE);
	int r;

	do
		r = fcntl(log->fd, F_OFD_SETLKW, &lock);
	while (r < 0 && errno == EINTR);
	return r < 0 ? why_sys(why, errno, "cannot lock the log") : 0;
}

void logfile_end(const struct logfile *log)
{
	struct flock lock = one_byte(F_UNLCK, WRITER_BYTE);

	(void)fcntl(log->fd, F_OFD_SETLK, &lock);
}

static int check_file(int fd, const char *path, int flags, struct why *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return why_set(why, EINVAL, "'%s' is not a regular file", path);
	if ((flags & O_ACCMODE) != O_RDONLY &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)))
		return why_set(why, EINVAL,
			       "cannot keep a log in '%s': others may write "
			       "to it",
			       path);
	return 0;
}

/* Opens the directory of @path and remembers its name in there. */
static int open_place(struct logfile *log, const char *path, struct why *why)
{
	autobuf struct buf dir = { 0 };
	const char *slash = strrchr(path, '/');
	struct span name = span_of(slash ? slash + 1 : path);
	struct span suffix = span_of(LOGFILE_SUFFIX);

	if (!name.len)
		return why_set(why, EISDIR, "'%s' is a directory", path);
	buf_add(&dir, (struct span){ path, (size_t)(name.data - path) });
	log->dir_fd = open(dir.len ? buf_str(&dir) : ".",
			   O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (log->dir_fd < 0)
		return why_sys(why, errno, "cannot open the directory of '%s'",
			       path);
	if (name.len > suffix.len &&
	    !memcmp(name.data + name.len - suffix.len, suffix.data, suffix.len))
		name.len -= suffix.len;
	buf_add(&log->stem, name);
	return 0;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int open_log(struct logfile *log, const char *path, int flags,
		    struct why *why)
{
	int r = open_place(log, path, why);

	if (r < 0)
		return r;
	log->fd = openat(log->dir_fd, name_of(path), flags | SAFELY, 0600);
	if (log->fd < 0)
		return why_sys(why, errno, "cannot open '%s'", path);
	return check_file(log->fd, path, flags, why);
}

int logfile_create(struct logfile *log, const char *path, struct why *why)
{
	int r = open_log(log, path, O_RDWR | O_CREAT, why);

	if (r < 0)
		return r;
	if (take_session(log->fd, why) < 0)
		return why_within(why, "'%s'", path);
	return 0;
}

int logfile_find(struct logfile *log, const char *path, struct why *why)
{
	return open_log(log, path, O_RDONLY, why);
}

static bool same_file(int a_fd, int b_fd)
{
	struct stat a, b;

	return !fstat(a_fd, &a) && !fstat(b_fd, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/*
 * The kernel knows where the file is that a descriptor is of.  The path is
 * opened again, for an offset of our own, and must lead to the same file.
 */
int logfile_inherit(struct logfile *log, int fd, struct why *why)
{
	char link[32];
	char path[PATH_MAX];
	struct stat st;
	ssize_t len;
	int r;

	r = take_session(fd, why);
	if (r < 0)
		return r;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return why_sys(why, errno, "cannot read '%s'", link);
	path[len] = '\0';
	if (path[0] != '/')
		return why_set(why, EINVAL, "'%s' is not a regular file", path);
	r = open_log(log, path, O_RDWR, why);
	if (r < 0)
		return r;
	if (!same_file(fd, log->fd))
		return why_set(why, EINVAL,
			       "'%s' is another file than descriptor %d", path,
			       fd);
	log->shared = true;
	/* A shell that made it cannot say with which mode. */
	if (!fstat(fd, &st) && !st.st_size && fchmod(fd, 0600) < 0)
		return why_sys(why, errno, "cannot keep '%s' to ourselves",
			       path);
	return check_file(log->fd, path, O_RDWR, why);
}

int logfile_open_beside(const struct logfile *log, const char *suffix,
			int flags, struct why *why)
{
	autobuf struct buf name = { 0 };
	int fd;

	buf_add(&name, buf_span(&log->stem));
	buf_adds(&name, suffix);
	fd = openat(log->dir_fd, buf_str(&name), flags | SAFELY, 0600);
	if (fd < 0)
		return why_sys(why, errno, "cannot open '%s'", buf_str(&name));
	if (check_file(fd, buf_str(&name), flags, why) < 0) {
		(void)close(fd);
		return -why->errnum;
	}
	return fd;
}

int logfile_sync_place(const struct logfile *log, struct why *why)
{
	autoclose int fd =
		openat(log->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return why_sys(why, errno,
			       "cannot put the log's name on the disk");
	return 0;
}

void logfile_close(struct logfile *log)
{
	auto_close(&log->fd);
	auto_close(&log->dir_fd);
	buf_drop(&log->stem);
	*log = LOGFILE_CLOSED;
}
