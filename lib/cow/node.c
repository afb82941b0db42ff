/* SPDX-License-Identifier: ISC */
#include "cow/node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/file.h"

#define CHUNK 65536
#define FILES_EACH 4  /* a walk and a copy have two a directory */
#define FILES_ELSE 64 /* for all else that is open */
#define STACK_WANTED ((rlim_t)64 << 20) /* bytes for trees of any depth */

/* fchmodat2(2), Linux 6.6; the number is the same on every architecture. */
#define CALL_FCHMODAT2 452

int node_stat(int dir_fd, const char *name, struct stat *st)
{
	if (!fstatat(dir_fd, name, st, AT_SYMLINK_NOFOLLOW))
		return 1;
	return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
}

/* O_NONBLOCK: what is no regular file any more must not be waited for. */
static int open_plain(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int node_chmod(int dir_fd, const char *name, mode_t mode)
{
	return syscall(CALL_FCHMODAT2, dir_fd, name, mode,
		       AT_SYMLINK_NOFOLLOW) < 0
		       ? -errno
		       : 0;
}

int node_regain(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if ((st.st_mode & S_IRWXU) == S_IRWXU)
		return 0;
	return fchmodat(AT_FDCWD, path, (st.st_mode & 07777U) | S_IRWXU,
			AT_SYMLINK_NOFOLLOW) < 0
		       ? -errno
		       : 0;
}

int node_open(struct node *node, int dir_fd, const char *name, bool own)
{
	struct stat st;
	int found = node_stat(dir_fd, name, &st);

	*node = NODE_CLOSED;
	if (found <= 0)
		return found < 0 ? found : -ENOENT;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return -EINVAL;
	node->mode = st.st_mode & 07777U;
	node->fd = open_plain(dir_fd, name);
	if (own && (node->fd == -EACCES ||
		    (S_ISDIR(st.st_mode) && !(st.st_mode & S_IXUSR)))) {
		node_close(node);
		node->mode = st.st_mode & 07777U;
		if (node_chmod(dir_fd, name, node->mode | S_IRUSR | S_IXUSR))
			return -EACCES;
		node->fd = open_plain(dir_fd, name);
		node->lent = node->fd >= 0;
	}
	return node->fd < 0 ? node->fd : 0;
}

void node_close(struct node *node)
{
	if (node->lent)
		(void)fchmod(node->fd, node->mode);
	auto_close(&node->fd);
	*node = NODE_CLOSED;
}

/* What @name becomes is followed by nobody: it must not lead out by itself. */
static int open_parent(int dir_fd, const char *path, const char **name,
		       const struct open_how *how)
{
	const char *slash = strrchr(path, '/');
	autofree char *parent = slash ? alloc_copy(path, (size_t)(slash - path))
				      : alloc_copy(".", 1);
	int fd;

	*name = slash ? slash + 1 : path;
	if (!strcmp(*name, ".") || !strcmp(*name, ".."))
		return -EINVAL;
	fd = (int)syscall(SYS_openat2, dir_fd, parent, how, sizeof(*how));
	return fd < 0 ? -errno : fd;
}

int node_parent(int dir_fd, const char *path, const char **name)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV
	};

	return open_parent(dir_fd, path, name, &how);
}

int node_above(int dir_fd, const char *path, const char **name)
{
	const struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				      .resolve = RESOLVE_BENEATH |
						 RESOLVE_NO_SYMLINKS |
						 RESOLVE_NO_MAGICLINKS };

	return open_parent(dir_fd, path, name, &how);
}

bool node_is_beyond(const char *what)
{
	return !strcmp(what, NODE_TOO_DEEP) || !strcmp(what, NODE_TOO_LONG);
}

unsigned int node_depth_max(void)
{
	struct rlimit files;
	rlim_t depth;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur < FILES_ELSE)
		return 0;
	depth = (files.rlim_cur - FILES_ELSE) / FILES_EACH;
	return depth < NODE_DEPTH_MAX ? (unsigned int)depth : NODE_DEPTH_MAX;
}

void node_make_room(void)
{
	struct rlimit files, stack;

	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	if (getrlimit(RLIMIT_STACK, &stack) < 0 ||
	    stack.rlim_cur >= STACK_WANTED)
		return;
	stack.rlim_cur = stack.rlim_max < STACK_WANTED ? stack.rlim_max
						       : STACK_WANTED;
	(void)setrlimit(RLIMIT_STACK, &stack);
}

bool node_changed_since(const struct stat *st, const struct timespec *since)
{
	if (st->st_ctim.tv_sec != since->tv_sec)
		return st->st_ctim.tv_sec > since->tv_sec;
	return st->st_ctim.tv_nsec > since->tv_nsec;
}

static int changed(int dir_fd, const char *name, const struct timespec *since,
		   unsigned int depth)
{
	autoentries struct entries entries = { 0 };
	struct stat st;
	size_t i;
	int r = node_stat(dir_fd, name, &st);

	if (r <= 0)
		return r < 0 ? r : 1;
	if (node_changed_since(&st, since))
		return 1;
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (depth >= node_depth_max())
		return 1;
	autonode struct node node = NODE_CLOSED;

	r = node_open(&node, dir_fd, name, false);
	if (!r)
		r = entries_read(&entries, node.fd);
	for (i = 0; i < entries.count && !r; i++)
		r = changed(node.fd, entries.names[i], since, depth + 1);
	return r;
}

int node_changed(int dir_fd, const char *name, const struct timespec *since)
{
	return changed(dir_fd, name, since, 0);
}

static int same_bytes(int a_fd, int b_fd)
{
	static char a[CHUNK], b[CHUNK];
	ssize_t got, other;

	do {
		got = file_fill(a_fd, a, sizeof(a));
		other = got < 0 ? got : file_fill(b_fd, b, sizeof(b));
		if (other < 0)
			return (int)other;
		if (got != other || memcmp(a, b, (size_t)got) != 0)
			return 0;
	} while (got);
	return 1;
}

static int same_link(int a_fd, const char *a, int b_fd, const char *b)
{
	char texts[2][PATH_MAX];
	ssize_t lens[2];

	lens[0] = readlinkat(a_fd, a, texts[0], sizeof(texts[0]));
	if (lens[0] < 0)
		return -errno;
	lens[1] = readlinkat(b_fd, b, texts[1], sizeof(texts[1]));
	if (lens[1] < 0)
		return -errno;
	return lens[0] == lens[1] &&
	       !memcmp(texts[0], texts[1], (size_t)lens[0]);
}

int node_same(int a_fd, const char *a, int b_fd, const char *b)
{
	struct stat st[2];
	int r = node_stat(a_fd, a, &st[0]);

	if (r > 0)
		r = node_stat(b_fd, b, &st[1]);
	if (r <= 0)
		return r;
	if (S_ISLNK(st[0].st_mode) && S_ISLNK(st[1].st_mode))
		return same_link(a_fd, a, b_fd, b);
	if (!S_ISREG(st[0].st_mode) || !S_ISREG(st[1].st_mode) ||
	    (st[0].st_mode & NODE_MODE) != (st[1].st_mode & NODE_MODE) ||
	    st[0].st_size != st[1].st_size ||
	    st[0].st_mtim.tv_sec != st[1].st_mtim.tv_sec ||
	    st[0].st_mtim.tv_nsec != st[1].st_mtim.tv_nsec)
		return 0;
	autonode struct node a_node = NODE_CLOSED;
	autonode struct node b_node = NODE_CLOSED;

	r = node_open(&a_node, a_fd, a, true);
	if (!r)
		r = node_open(&b_node, b_fd, b, false);
	return r ? r : same_bytes(a_node.fd, b_node.fd);
}

const char *node_what(const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFLNK:
		return NULL;
	case S_IFIFO:
		return "FIFO";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

/* Documentation/filesystems/overlayfs.rst, "whiteouts and opaque ..." */
bool node_is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(0, 0);
}

static int compare_names(const void *a, const void *b)
{
	const char *const *names[] = { a, b };

	return strcmp(*names[0], *names[1]);
}

int entries_read(struct entries *entries, int fd)
{
	const struct dirent *entry;
	int own_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own_fd < 0 ? NULL : fdopendir(own_fd);
	int errnum;

	if (!dir) {
		errnum = errno;
		if (own_fd >= 0)
			(void)close(own_fd);
		return -errnum;
	}
	while ((errno = 0, entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		entries->names = alloc_array(entries->names, entries->count,
					     sizeof(*entries->names));
		entries->names[entries->count++] =
			alloc_copy(entry->d_name, strlen(entry->d_name));
	}
	errnum = errno;
	(void)closedir(dir);
	if (entries->count)
		qsort(entries->names, entries->count, sizeof(*entries->names),
		      compare_names);
	return -errnum;
}

void entries_drop(struct entries *entries)
{
	size_t i;

	for (i = 0; i < entries->count; i++)
		free(entries->names[i]);
	free(entries->names);
	*entries = (struct entries){ 0 };
}
