/* SPDX-License-Identifier: ISC */
#include "limit/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/fd.h"
#include "base/num.h"
#include "base/span.h"
#include "base/why.h"
#include "limit/cgroup-place.h"
#include "spec/exceeded.h"

#define TRIES 8            /* at a cgroup that nobody takes for a dead one */
#define CPU_PERIOD 100000  /* microseconds; the kernel's own default */
#define CPU_QUOTA_MIN 1000 /* and the least that it takes */
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- the dead ----------------------------------------------------------- */

/* Others may begin in the same way; only what we make is ours to remove. */
static bool is_ours(const char *name)
{
	const char *id = name + strlen(CGROUP_PREFIX);

	return !strncmp(name, CGROUP_PREFIX, strlen(CGROUP_PREFIX)) &&
	       strlen(id) == CGROUP_ID_LEN &&
	       strspn(id, "0123456789abcdef") == CGROUP_ID_LEN;
}

/* One that is in use is locked, or has processes in it and is busy. */
static bool remove_dead(int above_fd, const char *name)
{
	autoclose int fd = openat(above_fd, name, DIR_FLAGS);

	return fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) &&
	       !unlinkat(above_fd, name, AT_REMOVEDIR);
}

void cgroup_sweep(const struct cgroup *cgroup)
{
	int fd = openat(cgroup->above_fd, ".", DIR_FLAGS);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int count = 0;

	if (!dir) {
		fd_drop(&fd);
		return;
	}
	while (count < CGROUP_SWEEP_MAX && (entry = readdir(dir)))
		if (is_ours(entry->d_name) &&
		    strcmp(entry->d_name, cgroup->name) != 0)
			count += remove_dead(cgroup->above_fd, entry->d_name);
	(void)closedir(dir);
}

/* ---- making one --------------------------------------------------------- */

/*
 * Makes a directory and locks it.  Until it is locked it looks like one that
 * somebody left behind, and may be gone again, which is worth another try.
 */
static int make_locked(struct cgroup *cgroup)
{
	struct stat st;
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return -EIO;
	(void)snprintf(cgroup->name, sizeof(cgroup->name),
		       CGROUP_PREFIX "%0*llx", CGROUP_ID_LEN,
		       (unsigned long long)id);
	if (mkdirat(cgroup->above_fd, cgroup->name, 0755) < 0)
		return -errno;
	cgroup->fd = openat(cgroup->above_fd, cgroup->name, DIR_FLAGS);
	if (cgroup->fd >= 0 && !flock(cgroup->fd, LOCK_EX | LOCK_NB) &&
	    !fstatat(cgroup->fd, "cgroup.procs", &st, 0))
		return 0;
	fd_drop(&cgroup->fd);
	return -EAGAIN;
}

static int make(struct cgroup *cgroup, struct why *why)
{
	int r = -EAGAIN;
	int i;

	for (i = 0; i < TRIES && r == -EAGAIN; i++)
		r = make_locked(cgroup);
	return r < 0 ? why_sys(why, -r, "cannot make a cgroup") : 0;
}

static int put(const struct cgroup *cgroup, const char *file, const char *text,
	       struct why *why)
{
	autoclose int fd = openat(cgroup->fd, file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return why_sys(why, errno, "cannot write '%s' of a cgroup",
			       file);
	return 0;
}

static int put_number(const struct cgroup *cgroup, const char *file,
		      uint64_t value, struct why *why)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return put(cgroup, file, text, why);
}

/*
 * Only the offender is killed where memory is short, not all (memory.oom.group
 * stays 0): a compiler that took too much is make's to report.
 */
static int limit_memory(struct cgroup *cgroup, uint64_t bytes, struct why *why)
{
	int r;

	if (bytes == LIMIT_NONE)
		return 0;
	r = put_number(cgroup, "memory.max", bytes, why);
	if (r < 0)
		return r;
	cgroup->held |= LIMIT_BIT(LIMIT_MEMORY);
	r = put(cgroup, "memory.swap.max", "0", why);
	/* Not there: the kernel was built or started without it. */
	cgroup->swap_free = r == -ENOENT;
	return cgroup->swap_free ? 0 : r;
}

/* Process 1 is chock's, and counted for nobody. */
static int limit_processes(struct cgroup *cgroup, uint64_t count,
			   struct why *why)
{
	int r;

	if (count >= INT32_MAX)
		return 0;
	r = put_number(cgroup, "pids.max", count + 1, why);
	if (!r)
		cgroup->held |= LIMIT_BIT(LIMIT_PROCESSES);
	return r;
}

static int limit_cpu(struct cgroup *cgroup, uint64_t hundredths,
		     struct why *why)
{
	uint64_t quota = hundredths * (CPU_PERIOD / 100);
	char text[64];
	int r;

	if (hundredths >= LIMIT_NONE / CPU_PERIOD)
		return 0;
	(void)snprintf(text, sizeof(text), "%llu %d",
		       (unsigned long long)(quota < CPU_QUOTA_MIN
						    ? CPU_QUOTA_MIN
						    : quota),
		       CPU_PERIOD);
	r = put(cgroup, "cpu.max", text, why);
	if (!r)
		cgroup->held |= LIMIT_BIT(LIMIT_CPU);
	return r == -ENOENT ? 0 : r;
}

static int find_place(struct limits *most, struct why *why)
{
	bool cpu = most->value[LIMIT_CPU] != LIMIT_NONE;
	int fd = cgroup_place(most, cpu, why);

	/* What else it holds is worth having without. */
	return fd == -ENOENT && cpu ? cgroup_place(most, false, why) : fd;
}

int cgroup_make(struct cgroup *cgroup, const struct limits *limits,
		struct why *why)
{
	struct limits most = *limits;
	int r;

	*cgroup = CGROUP_CLOSED;
	cgroup->above_fd = find_place(&most, why);
	if (cgroup->above_fd < 0)
		return cgroup->above_fd;
	r = make(cgroup, why);
	if (!r)
		r = limit_memory(cgroup, most.value[LIMIT_MEMORY], why);
	if (!r)
		r = limit_processes(cgroup, most.value[LIMIT_PROCESSES], why);
	if (!r)
		r = limit_cpu(cgroup, most.value[LIMIT_CPU], why);
	if (!r)
		cgroup_sweep(cgroup);
	else
		cgroup_close(cgroup);
	return r;
}

/* ---- the caller's ------------------------------------------------------- */

int cgroup_take(struct cgroup *cgroup, int fd, struct why *why)
{
	struct statfs fs;
	struct stat st;

	*cgroup = CGROUP_CLOSED;
	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return why_sys(why, errno, "descriptor %d is no cgroup", fd);
	if (!S_ISDIR(st.st_mode) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return why_set(why, EINVAL,
			       "descriptor %d is no directory of cgroup v2",
			       fd);
	cgroup->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return cgroup->fd < 0 ? why_sys(why, errno, "cannot use a cgroup") : 0;
}

/*
 * clone(2), CLONE_INTO_CGROUP, and cgroups(7).  A kernel before 5.7 takes the
 * flag for a mistake (EINVAL), or the longer struct (E2BIG).
 */
bool cgroup_explain(const struct cgroup *cgroup, int errnum, struct why *why)
{
	static const struct {
		int errnum;
		const char *text;
	} rows[] = {
		{ ENOSYS, "clone3(2), which the kernel lacks or something "
			  "outside of chock forbids, is needed for it" },
		{ EINVAL, "the kernel is older than 5.7, or was built without "
			  "a namespace that is asked for" },
		{ E2BIG, "the kernel is older than 5.7" },
		{ EBUSY, "its children have controllers, so that it can have "
			 "no processes" },
		{ EOPNOTSUPP, "it is of no type that can have processes" },
		{ EACCES, "it, or what it shares with ours, is not ours to "
			  "write" },
		{ ENOENT, "it was removed" },
		{ ENODEV, "it was removed" },
		{ EAGAIN, "its pids.max, or the user's limit on processes, is "
			  "reached" },
	};
	size_t i;

	if (cgroup->fd < 0)
		return false;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].errnum != errnum)
			continue;
		(void)why_set(why, errnum,
			      "cannot start a process in the cgroup: %s",
			      rows[i].text);
		return true;
	}
	return false;
}

/* ---- the end ------------------------------------------------------------ */

/* The number behind @key in the file @name, of lines of a word and a number. */
static uint64_t event(int fd, const char *name, const char *key)
{
	char text[512];
	int len = cgroup_get(fd, name, text, sizeof(text));
	const char *line = len > 0 ? text : "";
	size_t key_len = strlen(key);
	uint64_t count = 0;

	while (*line) {
		size_t line_len = strcspn(line, "\n");

		if (!strncmp(line, key, key_len) && line[key_len] == ' ' &&
		    !num_read(&count,
			      (struct span){ line + key_len + 1,
					     line_len - key_len - 1 },
			      UINT64_MAX))
			return count;
		line += line_len + (line[line_len] == '\n');
	}
	return 0;
}

/* memory.peak is there from Linux 5.19 on. */
void cgroup_read(const struct cgroup *cgroup, struct exceeded *exceeded)
{
	char text[64];
	int len;

	if (cgroup->fd < 0 || cgroup->above_fd < 0)
		return;
	exceeded->oom_kills = event(cgroup->fd, "memory.events", "oom_kill");
	exceeded->refused = event(cgroup->fd, "pids.events", "max");
	len = cgroup_get(cgroup->fd, "memory.peak", text, sizeof(text));
	if (len <= 0 ||
	    num_read(&exceeded->peak, (struct span){ text, (size_t)len },
		     INT64_MAX) < 0)
		exceeded->peak = 0;
}

/* "populated" turns to 0 with a POLLPRI. */
static void wait_until_empty(const struct cgroup *cgroup)
{
	autoclose int fd =
		openat(cgroup->fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	struct pollfd change = { .fd = fd, .events = POLLPRI };

	if (fd >= 0 && event(cgroup->fd, "cgroup.events", "populated"))
		(void)poll(&change, 1, CGROUP_WAIT_MS);
}

void cgroup_close(struct cgroup *cgroup)
{
	struct why why;

	if (cgroup->fd >= 0 && cgroup->above_fd >= 0 &&
	    unlinkat(cgroup->above_fd, cgroup->name, AT_REMOVEDIR) < 0) {
		/* Linux 5.14; before that what is in it has ended, or stays */
		(void)put(cgroup, "cgroup.kill", "1", &why);
		wait_until_empty(cgroup);
		(void)unlinkat(cgroup->above_fd, cgroup->name, AT_REMOVEDIR);
	}
	fd_drop(&cgroup->fd);
	fd_drop(&cgroup->above_fd);
}
