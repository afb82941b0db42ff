/* SPDX-License-Identifier: ISC */
#include "limit/cgroup-place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/num.h"
#include "base/why.h"
#include "spec/limits.h"

#define DEPTH_MAX 64 /* of our own cgroup; systemd's are 6 or so */

/* ---- text --------------------------------------------------------------- */

/* A blank in a path is written as a backslash and three octal digits. */
static int unescape(char *path, struct span text)
{
	size_t len = 0;
	size_t i = 0;

	while (i < text.len) {
		const char *c = text.data + i;

		if (len + 1 >= PATH_MAX)
			return -ENAMETOOLONG;
		if (*c == '\\' && text.len - i > 3) {
			path[len++] = (char)((c[1] - '0') << 6 |
					     (c[2] - '0') << 3 | (c[3] - '0'));
			i += 4;
		} else {
			path[len++] = *c;
			i++;
		}
	}
	path[len] = '\0';
	return 0;
}

/* Whether @words, with blanks between, has @word among them. */
static bool has_word(struct span words, const char *word)
{
	while (words.len)
		if (span_is(span_cut(&words, ' '), word))
			return true;
	return false;
}

int cgroup_own(struct span lines, char *path)
{
	while (lines.len) {
		struct span line = span_cut(&lines, '\n');

		if (!span_starts(line, "0::/"))
			continue;
		line = span_from(line, 3);
		if (line.len >= PATH_MAX)
			return -ENAMETOOLONG;
		memcpy(path, line.data, line.len);
		path[line.len] = '\0';
		return 0;
	}
	return -ENOENT;
}

/* proc_pid_mountinfo(5): the fourth field is the root, the fifth the point. */
int cgroup_point(struct span mountinfo, char *point, char *root)
{
	while (mountinfo.len) {
		struct span line = span_cut(&mountinfo, '\n');
		struct span fields[5];
		size_t i;

		for (i = 0; i < 5; i++)
			fields[i] = span_cut(&line, ' ');
		while (line.len && !span_is(span_cut(&line, ' '), "-"))
			continue;
		if (!span_is(span_cut(&line, ' '), "cgroup2"))
			continue;
		if (unescape(root, fields[3]) < 0 ||
		    unescape(point, fields[4]) < 0)
			return -ENAMETOOLONG;
		return 0;
	}
	return -ENOENT;
}

int cgroup_get(int fd, const char *name, char *text, size_t room)
{
	autoclose int file_fd = openat(fd, name, O_RDONLY | O_CLOEXEC);
	ssize_t len = file_fd < 0 ? -1 : read(file_fd, text, room - 1);

	if (len < 0)
		return -errno;
	if (len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	return (int)len;
}

/* ---- where we are ------------------------------------------------------- */

static bool is_cgroup2(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && !is_cgroup2(fd))
		fd_drop(&fd);
	return fd;
}

/* What of the path @own is below the directory @root, or NULL. */
static const char *below(const char *own, const char *root)
{
	size_t len = strcmp(root, "/") != 0 ? strlen(root) : 0;

	if (strncmp(own, root, len) != 0 || (own[len] && own[len] != '/'))
		return NULL;
	while (own[len] == '/')
		len++;
	return own + len;
}

/*
 * Opens the first usual place in which our own cgroup @own is; -1: none.  The
 * second one is systemd's where most controllers are of version 1.
 */
static int open_usual(const char *own)
{
	static const char *const places[] = { "/sys/fs/cgroup",
					      "/sys/fs/cgroup/unified" };
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		autoclose int fd = open_dir(places[i]);

		if (fd >= 0 && !faccessat(fd, own[1] ? own + 1 : ".", F_OK, 0))
			return take_fd(&fd);
	}
	return -1;
}

/*
 * Opens where cgroup v2 is mounted and our own cgroup @own is below, and makes
 * @own relative to it.  Apart, for its paths are three pages of stack.
 */
__attribute__((noinline)) static int open_mounted(char *own, struct why *why)
{
	autobuf struct buf mountinfo = { 0 };
	char point[PATH_MAX], root[PATH_MAX];
	const char *inside = NULL;
	int fd = -1;
	int r;

	r = file_read_path(&mountinfo, AT_FDCWD, "/proc/self/mountinfo",
			   BUF_MAX, why);
	if (r < 0)
		return r;
	if (!cgroup_point(buf_span(&mountinfo), point, root))
		inside = below(own, root);
	if (inside)
		fd = open_dir(point);
	if (fd < 0)
		return why_set(why, ENOENT, "cgroup v2 is not mounted");
	memmove(own, inside, strlen(inside) + 1);
	return fd;
}

/* Reading all mounts is the slow way to hear of the usual place. */
static int open_base(char *own, struct why *why)
{
	int fd = open_usual(own);

	if (fd < 0)
		return open_mounted(own, why);
	memmove(own, own + 1, strlen(own));
	return fd;
}

static int find_own(char *own, struct why *why)
{
	autobuf struct buf lines = { 0 };
	int r = file_read_path(&lines, AT_FDCWD, "/proc/self/cgroup",
			       CGROUP_FILE_MAX, why);

	if (r < 0)
		return r;
	*own = '\0';
	if (cgroup_own(buf_span(&lines), own) < 0)
		return why_set(why, ENOENT, "this kernel has no cgroup v2");
	return open_base(own, why);
}

/* ---- where there is a place --------------------------------------------- */

static bool has_controllers(int fd, bool cpu)
{
	char text[512];
	int len = cgroup_get(fd, "cgroup.subtree_control", text, sizeof(text));
	struct span words = { text, len > 0 ? (size_t)len : 0 };

	return has_word(words, "memory") && has_word(words, "pids") &&
	       (!cpu || has_word(words, "cpu"));
}

/* As clone(2) wants it, CLONE_INTO_CGROUP: of what we and the child share. */
static bool is_ours(int fd)
{
	return !faccessat(fd, ".", W_OK, AT_EACCESS) &&
	       !faccessat(fd, "cgroup.procs", W_OK, AT_EACCESS);
}

static void narrow(struct limits *most, enum limit limit, uint64_t value)
{
	if (value < most->value[limit])
		most->value[limit] = value;
}

/* "QUOTA PERIOD", in microseconds; as hundredths of a processor. */
static void narrow_cpu(struct limits *most, struct span text)
{
	uint64_t quota, period;

	if (!num_read(&quota, span_cut(&text, ' '), UINT64_MAX / 100) &&
	    !num_read(&period, text, UINT64_MAX) && period)
		narrow(most, LIMIT_CPU,
		       quota * 100 / period ? quota * 100 / period : 1);
}

static int open_cgroup(int base_fd, const char *path, struct why *why)
{
	int fd = openat(base_fd, *path ? path : ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? why_sys(why, errno, "cannot open the cgroup '/%.200s'",
				path)
		      : fd;
}

/* Takes along what holds what is in the cgroup @path; "max" is no number. */
static int take_along(struct limits *most, int base_fd, const char *path,
		      struct why *why)
{
	autoclose int fd = open_cgroup(base_fd, path, why);
	char text[64];
	uint64_t value;
	int len;

	if (fd < 0)
		return fd;
	len = cgroup_get(fd, "memory.max", text, sizeof(text));
	if (len > 0 && !num_read(&value, (struct span){ text, (size_t)len },
				 LIMIT_NONE - 1))
		narrow(most, LIMIT_MEMORY, value);
	len = cgroup_get(fd, "pids.max", text, sizeof(text));
	if (len > 0 && !num_read(&value, (struct span){ text, (size_t)len },
				 LIMIT_NONE - 1))
		narrow(most, LIMIT_PROCESSES, value);
	len = cgroup_get(fd, "cpu.max", text, sizeof(text));
	if (len > 0)
		narrow_cpu(most, (struct span){ text, (size_t)len });
	return 0;
}

/* Makes @path that of the cgroup above; false if it was the topmost. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!*path)
		return false;
	*(slash ? slash : path) = '\0';
	return true;
}

static int not_ours(const char *path, struct why *why)
{
	return why_set(why, EACCES,
		       "the cgroup '/%.200s' is not delegated to this user",
		       path);
}

/*
 * Opens the first cgroup from @path on upwards that is a place, and makes
 * @path its.
 */
static int find_place(int base_fd, char *path, bool cpu, struct why *why)
{
	bool full = false;
	int depth;

	for (depth = 0; depth < DEPTH_MAX; depth++) {
		autoclose int fd = open_cgroup(base_fd, path, why);

		if (fd < 0)
			return fd;
		full = has_controllers(fd, cpu);
		if (full && is_ours(fd))
			return take_fd(&fd);
		/* One's own is somebody else's where a service made it. */
		if ((depth && !is_ours(fd)) || !go_up(path))
			break;
	}
	/* The root, too, where it has all but is not ours. */
	if (*path || full || depth == DEPTH_MAX)
		return not_ours(path, why);
	return why_set(why, ENOENT,
		       "no cgroup above this one gives %s to its children",
		       cpu ? "cpu, memory and pids" : "memory and pids");
}

/* Most often there is none; what holds us is looked at where there is one. */
int cgroup_place(struct limits *most, bool cpu, struct why *why)
{
	char path[PATH_MAX], own[PATH_MAX];
	autoclose int base_fd = find_own(own, why);
	autoclose int fd = -1;
	int r = 0;

	if (base_fd < 0)
		return base_fd;
	memcpy(path, own, strlen(own) + 1);
	fd = find_place(base_fd, path, cpu, why);
	for (; fd >= 0 && !r && strcmp(own, path) != 0; (void)go_up(own))
		r = take_along(most, base_fd, own, why);
	return fd < 0 || !r ? take_fd(&fd) : r;
}
