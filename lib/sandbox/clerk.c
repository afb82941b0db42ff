/* SPDX-License-Identifier: ISC */
#include "sandbox/clerk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "base/auto.h"
#include "base/num.h"
#include "sandbox/roots.h"

/*
 * The caller stands still while it is served, but others that share its memory
 * or its descriptors do not.  So everything is fetched once: its memory by
 * /proc/PID/mem, what it has open by a descriptor of our own.  That the caller
 * was still there, and so that /proc/PID was its own, is asked after all of
 * that and before anything is done.
 */

#define NONE (-1)
#define PAGE 4096
#define MODE_MAX 07777
#define SYS_FCHMODAT2 452 /* Linux 6.6; headers may be older */

enum act { ACT_MODE, ACT_OWNER, ACT_TIMESPECS, ACT_TIMEVALS, ACT_UTIMBUF };

/* Which of its arguments is what; NONE: it has none. */
static const struct order {
	long number;
	enum act act;
	int dir, path, value, flags;
	bool nofollow;
} orders[] = {
	{ SYS_fchmod, ACT_MODE, 0, NONE, 1, NONE, false },
	{ SYS_fchmodat, ACT_MODE, 0, 1, 2, NONE, false },
	{ SYS_FCHMODAT2, ACT_MODE, 0, 1, 2, 3, false },
	{ SYS_fchown, ACT_OWNER, 0, NONE, 1, NONE, false },
	{ SYS_fchownat, ACT_OWNER, 0, 1, 2, 4, false },
	{ SYS_utimensat, ACT_TIMESPECS, 0, 1, 2, 3, false },
#ifdef SYS_chmod
	{ SYS_chmod, ACT_MODE, NONE, 0, 1, NONE, false },
	{ SYS_chown, ACT_OWNER, NONE, 0, 1, NONE, false },
	{ SYS_lchown, ACT_OWNER, NONE, 0, 1, NONE, true },
	{ SYS_futimesat, ACT_TIMEVALS, 0, 1, 2, NONE, false },
	{ SYS_utimes, ACT_TIMEVALS, NONE, 0, 1, NONE, false },
	{ SYS_utime, ACT_UTIMBUF, NONE, 0, 1, NONE, false },
#endif
};

#define ORDERS (sizeof(orders) / sizeof(*orders))

/* What is to be done, once it has been fetched. */
struct job {
	const struct order *order;
	const struct seccomp_notif *call;
	int memory_fd; /* borrowed */
	int proc_fd;   /* owned; /proc/PID of the caller */
	int flags;     /* AT_... */
	bool timed;    /* times are given */
	struct timespec times[2];
};

static const struct order *find(long number)
{
	size_t i;

	for (i = 0; i < ORDERS; i++)
		if (orders[i].number == number)
			return &orders[i];
	return NULL;
}

bool clerk_serves(const struct seccomp_notif *call)
{
	return find(call->data.nr) != NULL;
}

static uint64_t argument(const struct job *job, int index)
{
	return index == NONE ? 0 : job->call->data.args[index];
}

/* An int, of which the kernel ignores the upper half. */
static int number(const struct job *job, int index)
{
	return (int)(uint32_t)argument(job, index);
}

/*
 * @room bytes at @address, or to the end of what is there.  Page by page, for
 * what ends before the next one need not have a next one.
 */
static ssize_t read_memory(const struct job *job, uint64_t address, char *to,
			   size_t room, bool text)
{
	size_t len = 0;
	size_t part;
	ssize_t got;

	if (job->memory_fd < 0)
		return -EPERM;
	while (len < room && !(text && memchr(to, '\0', len))) {
		part = PAGE - (address + len) % PAGE;
		if (part > room - len)
			part = room - len;
		got = pread(job->memory_fd, to + len, part,
			    (off_t)(address + len));
		if (got <= 0)
			return -EFAULT;
		len += (size_t)got;
	}
	return (ssize_t)len;
}

static int read_path(const struct job *job, char path[PATH_MAX])
{
	uint64_t address = argument(job, job->order->path);
	ssize_t len;

	if (!address)
		return -EFAULT;
	len = read_memory(job, address, path, PATH_MAX, true);
	if (len < 0)
		return (int)len;
	return memchr(path, '\0', (size_t)len) ? 0 : -ENAMETOOLONG;
}

static int read_times(struct job *job)
{
	uint64_t address = argument(job, job->order->value);
	struct utimbuf old;
	struct timeval values[2];
	ssize_t len = 0;

	job->timed = address != 0;
	if (!address)
		return 0;
	if (job->order->act == ACT_TIMESPECS)
		len = read_memory(job, address, (char *)job->times,
				  sizeof(job->times), false);
	else if (job->order->act == ACT_TIMEVALS)
		len = read_memory(job, address, (char *)values, sizeof(values),
				  false);
	else
		len = read_memory(job, address, (char *)&old, sizeof(old),
				  false);
	if (len < 0 || job->order->act == ACT_TIMESPECS)
		return len < 0 ? (int)len : 0;
	if (job->order->act == ACT_UTIMBUF) {
		job->times[0] = (struct timespec){ .tv_sec = old.actime };
		job->times[1] = (struct timespec){ .tv_sec = old.modtime };
		return 0;
	}
	for (len = 0; len < 2; len++) {
		if (values[len].tv_usec < 0 || values[len].tv_usec >= 1000000)
			return -EINVAL;
		job->times[len].tv_sec = values[len].tv_sec;
		job->times[len].tv_nsec = values[len].tv_usec * 1000;
	}
	return 0;
}

/* What the caller has open as @fd, or AT_FDCWD; for us to change by. */
static int open_fd(const struct job *job, int fd)
{
	char name[32];
	int ours;

	if (fd == AT_FDCWD)
		ours = openat(job->proc_fd, "cwd", O_PATH | O_CLOEXEC);
	else if (fd < 0)
		return -EBADF;
	else
		ours = (snprintf(name, sizeof(name), "fd/%d", fd),
			openat(job->proc_fd, name, O_PATH | O_CLOEXEC));
	if (ours >= 0)
		return ours;
	return errno == ENOENT ? -EBADF : -EPERM;
}

/*
 * Links of /proc to what the caller has open would lead to what we have.  The
 * names that libraries use for it are taken as the descriptor that they are.
 */
static int descriptor_of(const char *path)
{
	static const char *const dirs[] = { "/proc/self/fd/",
					    "/proc/thread-self/fd/",
					    "/dev/fd/" };
	uint64_t fd;
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])) &&
		    !num_read(&fd, span_of(path + strlen(dirs[i])), INT_MAX))
			return (int)fd;
	return NONE;
}

static int open_path(const struct job *job, const char *path)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC |
			 (job->flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0),
		.resolve = RESOLVE_NO_MAGICLINKS
	};
	int dir = job->order->dir == NONE ? AT_FDCWD
					  : number(job, job->order->dir);
	int named = job->flags & AT_SYMLINK_NOFOLLOW ? NONE
						     : descriptor_of(path);
	autoclose int dir_fd = -1;
	int fd;

	if (named != NONE)
		return open_fd(job, named);
	if (!*path && !(job->flags & AT_EMPTY_PATH))
		return -ENOENT;
	if (*path != '/') {
		dir_fd = open_fd(job, dir);
		if (dir_fd < 0)
			return dir_fd;
	}
	if (!*path)
		return take_fd(&dir_fd);
	fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

/* What is to be changed, pinned. */
static int open_target(const struct job *job)
{
	char path[PATH_MAX] = "";
	int r;

	if (job->order->path == NONE || (job->order->act == ACT_TIMESPECS &&
					 !argument(job, job->order->path)))
		return open_fd(job, number(job, job->order->dir));
	r = read_path(job, path);
	return r < 0 ? r : open_path(job, path);
}

static int change(const struct job *job, int fd)
{
	int value = job->order->value;
	int mode;

	switch (job->order->act) {
	case ACT_MODE:
		mode = number(job, value) & MODE_MAX;
		if (mode & (S_ISUID | S_ISGID))
			return -EPERM;
		if (syscall(SYS_FCHMODAT2, fd, "", mode, AT_EMPTY_PATH) < 0)
			return -errno;
		return 0;
	case ACT_OWNER:
		if (fchownat(fd, "", (uid_t)number(job, value),
			     (gid_t)number(job, value + 1), AT_EMPTY_PATH) < 0)
			return -errno;
		return 0;
	case ACT_TIMESPECS:
	case ACT_TIMEVALS:
	case ACT_UTIMBUF:
		break;
	}
	if (utimensat(fd, "", job->timed ? job->times : NULL, AT_EMPTY_PATH) <
	    0)
		return -errno;
	return 0;
}

static int prepare(struct job *job)
{
	const struct order *order = job->order;
	char name[32];

	job->flags = number(job, order->flags);
	if (job->flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (order->nofollow)
		job->flags |= AT_SYMLINK_NOFOLLOW;
	(void)snprintf(name, sizeof(name), "/proc/%u", job->call->pid);
	job->proc_fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (job->proc_fd < 0)
		return -EPERM;
	if (order->act == ACT_MODE || order->act == ACT_OWNER)
		return 0;
	return read_times(job);
}

int clerk_act(const struct roots *roots, int fd, int memory_fd,
	      const struct seccomp_notif *call)
{
	struct job job = { .order = find(call->data.nr),
			   .call = call,
			   .memory_fd = memory_fd,
			   .proc_fd = -1 };
	uint64_t id = call->id;
	int r = job.order ? prepare(&job) : -ENOSYS;
	autoclose int target_fd = r < 0 ? -1 : open_target(&job);

	auto_close(&job.proc_fd);
	if (r < 0)
		return r;
	if (target_fd < 0)
		return target_fd;
	if (!roots_have(roots, target_fd))
		return -EPERM;
	if (ioctl(fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) < 0)
		return -EPERM;
	return change(&job, target_fd);
}
