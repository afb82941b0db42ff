/* SPDX-License-Identifier: ISC */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/progress.h"
#include "base/why.h"

/*
 * Most files are small, and room that malloc(3) maps is dear (mallopt(3)).
 * With the NUL behind it, this is a power of two.
 */
#define READ_FIRST (((size_t)4 << 10) - 1)
#define COPY_MOST ((size_t)1 << 30) /* what one sendfile(2) is asked for */

/* How much is read next, where @left bytes may come and one is too many. */
static size_t next_room(const struct buf *bytes, size_t left)
{
	size_t room = bytes->room - bytes->len - 1;

	return room <= left ? room : left + 1;
}

/*
 * Where @size is not 0, so many are all.  A file of the kernel's has another
 * size than it says, or says none.
 */
static int read_all(struct buf *bytes, int fd, size_t size, size_t max,
		    struct why *why)
{
	size_t room = size && size <= max ? size : READ_FIRST;
	size_t done = 0;
	ssize_t got;

	for (;;) {
		if (done > max || !buf_grow(bytes, room))
			return why_set(why, EFBIG, "more than %zu bytes", max);
		got = read(fd, bytes->data + bytes->len,
			   next_room(bytes, max - done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return why_sys(why, errno, "cannot read");
		bytes->len += (size_t)got;
		bytes->data[bytes->len] = '\0';
		done += (size_t)got;
		if (!got || (size && done == size && done <= max))
			return 0;
		room = 1;
	}
}

int file_read(struct buf *bytes, int fd, size_t max, struct why *why)
{
	return read_all(bytes, fd, 0, max, why);
}

int file_read_path(struct buf *bytes, int dir_fd, const char *path, size_t max,
		   struct why *why)
{
	autoclose int fd = openat(dir_fd, path,
				  O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return why_sys(why, errno, "cannot open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return why_set(why, EINVAL, "'%s' is not a regular file", path);
	if (read_all(bytes, fd, (size_t)st.st_size, max, why) < 0)
		return why_within(why, "'%s'", path);
	return 0;
}

ssize_t file_fill(int fd, char *bytes, size_t room)
{
	size_t len = 0;
	ssize_t got;

	do {
		got = read(fd, bytes + len, room - len);
		if (got > 0)
			len += (size_t)got;
	} while (len < room && (got > 0 || (got < 0 && errno == EINTR)));
	return got < 0 ? -errno : (ssize_t)len;
}

int file_write(int fd, struct span bytes)
{
	ssize_t done;

	while (bytes.len) {
		done = write(fd, bytes.data, bytes.len);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		bytes = span_from(bytes, (size_t)done);
	}
	return 0;
}

int file_sync_dir(const char *dir)
{
	autoclose int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

/* One that was left by a call that was cut off is nobody's any more. */
static int write_synced(const char *path, struct span bytes)
{
	autoclose int fd = open(
		path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		0600);
	int r = fd < 0 ? -errno : file_write(fd, bytes);

	return !r && fsync(fd) < 0 ? -errno : r;
}

int file_put(const char *dir, const char *name, struct span bytes,
	     struct why *why)
{
	autofree char *path = alloc_text("%s/%s", dir, name);
	autofree char *new = alloc_text("%s.new", path);
	int r = write_synced(new, bytes);

	if (!r && rename(new, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(new);
	else
		r = file_sync_dir(dir);
	return r < 0 ? why_sys(why, -r, "cannot write '%s'", path) : 0;
}

static int copy_extent(int to_fd, int from_fd, off_t start, off_t end)
{
	ssize_t some = 1;
	size_t left;

	if (lseek(to_fd, start, SEEK_SET) < 0)
		return -errno;
	while (start < end && some) {
		left = (uint64_t)(end - start) < COPY_MOST
			       ? (size_t)(end - start)
			       : COPY_MOST;
		some = sendfile(to_fd, from_fd, &start, left);
		if (some < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

/* Only what has data: a file of nothing but holes may claim any size. */
static int copy_data(int to_fd, int from_fd, off_t size)
{
	off_t start, end = 0;
	int r = 0;

	if (ftruncate(to_fd, size) < 0)
		return -errno;
	while (!r && end < size &&
	       (start = lseek(from_fd, end, SEEK_DATA)) >= 0) {
		end = lseek(from_fd, start, SEEK_HOLE);
		if (end < 0)
			return -errno;
		r = copy_extent(to_fd, from_fd, start, end < size ? end : size);
	}
	return !r && end < size && errno != ENXIO ? -errno : r;
}

int file_copy(int to_fd, int from_fd)
{
	struct stat st;

	if (!ioctl(to_fd, FICLONE, from_fd))
		return 0;
	if (fstat(from_fd, &st) < 0)
		return -errno;
	return copy_data(to_fd, from_fd, st.st_size);
}

int file_mkdirs(const char *path, mode_t mode, struct why *why)
{
	autofree char *copy = alloc_copy(path, strlen(path));
	char *slash = copy;
	struct stat st;
	char was;

	if (!*path)
		return why_sys(why, ENOENT, "cannot make directory ''");
	do {
		slash = strchrnul(slash + 1, '/');
		was = *slash;
		*slash = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return why_sys(why, errno, "cannot make directory '%s'",
				       copy);
		*slash = was;
	} while (*slash);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return why_sys(why, ENOTDIR, "cannot make directory '%s'",
			       path);
	return 0;
}

/* Opens the directory @name for listing, whatever its mode says. */
static int open_dir(int dir_fd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir_fd, name, flags);

	if (fd < 0 && errno == EACCES &&
	    !fchmodat(dir_fd, name, 0700, AT_SYMLINK_NOFOLLOW))
		fd = openat(dir_fd, name, flags);
	if (fd >= 0)
		(void)fchmod(fd, 0700);
	return fd;
}

/*
 * Moves the directory @name where nothing is.  FUSE and network file systems
 * that know no flags say EINVAL, and rename(2) itself replaces by a directory
 * nothing but an empty one, which is to go as well.
 */
static int move_dir(int from_fd, const char *name, int to_fd,
		    const char *to_name)
{
	if (!renameat2(from_fd, name, to_fd, to_name, RENAME_NOREPLACE))
		return 0;
	if (errno == EINVAL && !renameat(from_fd, name, to_fd, to_name))
		return 0;
	return errno == ENOTEMPTY || errno == ENOTDIR ? -EEXIST : -errno;
}

/* Moves the directory @name up into @top_fd, under a name that is free. */
static int move_up(int from_fd, const char *name, int top_fd)
{
	static unsigned int tried;
	char free_name[32];
	int r;

	if (fchmodat(from_fd, name, 0700, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	do {
		(void)snprintf(free_name, sizeof(free_name), "up-%u", tried++);
		r = move_dir(from_fd, name, top_fd, free_name);
	} while (r == -EEXIST);
	return r;
}

/*
 * Removes @name if one system call can.  Returns 1 if it is a directory that
 * must be emptied first.  Where something is mounted the kernel says EBUSY,
 * and there we stop: what is to go is the tree, not what is shown in it.
 */
static int remove_one(int dir_fd, const char *name, struct why *why)
{
	int errnum;

	if (!unlinkat(dir_fd, name, 0) || errno == ENOENT) {
		progress_step();
		return 0;
	}
	errnum = errno;
	/* POSIX has EPERM for a directory, and it may be no directory too. */
	if (errnum == EISDIR || errnum == EPERM) {
		if (!unlinkat(dir_fd, name, AT_REMOVEDIR))
			return 0;
		if (errno == ENOTEMPTY || errno == EEXIST)
			return 1;
		if (errno != ENOTDIR)
			errnum = errno;
	}
	return why_sys(why, errnum, "cannot remove '%s'", name);
}

static int empty_dir(int owned_fd, int top_fd, struct why *why);

/* Removes one entry; a directory below another one is moved to the top. */
static int remove_entry(int dir_fd, const char *name, int top_fd,
			struct why *why)
{
	int below_fd;
	int r;

	r = remove_one(dir_fd, name, why);
	if (r <= 0)
		return r;
	if (top_fd >= 0) {
		r = move_up(dir_fd, name, top_fd);
		return r < 0 ? why_sys(why, -r, "cannot remove '%s'", name) : 0;
	}
	below_fd = open_dir(dir_fd, name);
	if (below_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", name);
	r = empty_dir(below_fd, dir_fd, why);
	if (r < 0)
		return r;
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) < 0)
		return why_sys(why, errno, "cannot remove '%s'", name);
	return 0;
}

static int empty_dir(int owned_fd, int top_fd, struct why *why)
{
	DIR *dir = fdopendir(owned_fd);
	struct dirent *entry;
	int r = 0;

	if (!dir) {
		r = why_sys(why, errno, "cannot read a directory");
		(void)close(owned_fd);
		return r;
	}
	while (!r) {
		errno = 0;
		entry = readdir(dir);
		if (!entry && errno)
			r = why_sys(why, errno, "cannot read a directory");
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			r = remove_entry(dirfd(dir), entry->d_name, top_fd,
					 why);
	}
	(void)closedir(dir);
	return r;
}

/*
 * A tree may be deeper than there are descriptors or stack, for a sandbox may
 * have made it.  So nothing recurses into it: the directories of a directory
 * are moved up next to it, and the top is gone through until it is empty.
 */
int file_remove_tree(int dir_fd, const char *name, struct why *why)
{
	autoclose int top_fd = -1;
	int again_fd;
	int r;

	r = remove_one(dir_fd, name, why);
	if (r <= 0)
		return r;
	top_fd = open_dir(dir_fd, name);
	if (top_fd < 0)
		return why_sys(why, errno, "cannot open '%s'", name);
	while (r > 0) {
		again_fd = openat(top_fd, ".", O_RDONLY | O_CLOEXEC);
		if (again_fd < 0)
			return why_sys(why, errno, "cannot open '%s'", name);
		r = empty_dir(again_fd, -1, why);
		if (r >= 0)
			r = remove_one(dir_fd, name, why);
	}
	return r;
}
