/* SPDX-License-Identifier: ISC */
#include "limit/usage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/fd.h"
#include "base/num.h"
#include "base/span.h"

#define TEXT_ROOM 8192 /* for status, of somebody in a thousand groups */
#define LINKS_OF_DIRECTORY 2

/* What one process adds to @sum; a process that is gone adds nothing. */
typedef void look_fn(int proc_fd, const char *pid, uint64_t *sum);

int usage_open(struct usage *usage, const char *proc, const char *tmp)
{
	int errnum;

	usage->proc_fd = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	usage->tmp_fd = open(tmp, O_PATH | O_DIRECTORY | O_CLOEXEC);
	errnum = errno;
	if (usage->proc_fd >= 0 && usage->tmp_fd >= 0)
		return 0;
	usage_close(usage);
	return -errnum;
}

void usage_close(struct usage *usage)
{
	fd_drop(&usage->proc_fd);
	fd_drop(&usage->tmp_fd);
}

/* "PID/FILE" as text; returns how long it is, or -errno. */
static int read_of(int proc_fd, const char *pid, const char *file, char *text)
{
	char path[64];
	autoclose int fd = -1;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "%.16s/%s", pid, file);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, TEXT_ROOM - 1);
	if (len < 0)
		return -errno;
	text[len] = '\0';
	return (int)len;
}

/* The bytes of the line "KEY:   NUMBER kB" of @text; 0 without one. */
static uint64_t line_of(const char *text, const char *key)
{
	const char *line = strstr(text, key);
	uint64_t kib;

	if (!line)
		return 0;
	line += strlen(key);
	line += strspn(line, " \t");
	if (num_read(&kib, (struct span){ line, strcspn(line, " \n") },
		     UINT64_MAX / 1024) < 0)
		return 0;
	return kib * 1024;
}

/* proc_pid_statm(5): the second number is what is resident, in pages. */
static uint64_t resident(int proc_fd, const char *pid)
{
	char text[TEXT_ROOM];
	const char *word = text;
	uint64_t pages = 0;

	if (read_of(proc_fd, pid, "statm", text) <= 0)
		return 0;
	word += strcspn(word, " ");
	word += *word == ' ';
	if (num_read(&pages, (struct span){ word, strcspn(word, " ") },
		     UINT64_MAX / 4096) < 0)
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * All that it has: proc_pid_status(5).  Huge pages of hugetlbfs and what is
 * swapped out are not among what is resident.
 */
static uint64_t whole_of(int proc_fd, const char *task)
{
	char text[TEXT_ROOM];

	if (read_of(proc_fd, task, "status", text) < 0)
		text[0] = '\0';
	if (!strstr(text, "\nVmRSS:"))
		return resident(proc_fd, task);
	return line_of(text, "\nVmRSS:") + line_of(text, "\nVmSwap:") +
	       line_of(text, "\nHugetlbPages:");
}

/*
 * A first thread that has ended has no memory, and its files in procfs are the
 * process's.  Those of another thread are found by its own number, which is in
 * no list (proc(5), /proc/tid).
 */
static uint64_t whole(int proc_fd, const char *pid)
{
	uint64_t bytes = whole_of(proc_fd, pid);
	const struct dirent *entry;
	char path[64];
	DIR *dir;
	int fd;

	if (bytes)
		return bytes;
	(void)snprintf(path, sizeof(path), "%.16s/task", pid);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		fd_drop(&fd);
		return 0;
	}
	while (!bytes && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			bytes = whole_of(proc_fd, entry->d_name);
	(void)closedir(dir);
	return bytes;
}

static void add_whole(int proc_fd, const char *pid, uint64_t *sum)
{
	*sum += whole(proc_fd, pid);
}

/*
 * A share of what it shares with others: proc_pid_smaps(5), smaps_rollup; told
 * apart by kind from Linux 5.4 on.  A process that does not let itself be
 * looked at counts with all that it has.
 */
static void add_share(int proc_fd, const char *pid, uint64_t *sum)
{
	char text[TEXT_ROOM];

	if (read_of(proc_fd, pid, "smaps_rollup", text) < 0)
		text[0] = '\0';
	if (!strstr(text, "\nPss:")) {
		*sum += whole(proc_fd, pid);
		return;
	}
	if (strstr(text, "\nPss_Anon:") && strstr(text, "\nPss_Shmem:"))
		*sum += line_of(text, "\nPss_Anon:") +
			line_of(text, "\nPss_Shmem:");
	else
		*sum += line_of(text, "\nPss:");
	*sum += line_of(text, "\nSwapPss:") +
		line_of(text, "\nShared_Hugetlb:") +
		line_of(text, "\nPrivate_Hugetlb:");
}

/* proc_pid_task(5): a directory has a link for each one below it. */
static void add_tasks(int proc_fd, const char *pid, uint64_t *sum)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%.16s/task", pid);
	if (!fstatat(proc_fd, path, &st, 0) && st.st_nlink > LINKS_OF_DIRECTORY)
		*sum += st.st_nlink - LINKS_OF_DIRECTORY;
}

static int add_all(const struct usage *usage, look_fn *look, uint64_t *sum)
{
	int fd =
		openat(usage->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int errnum = errno;

	if (!dir) {
		fd_drop(&fd);
		return -errnum;
	}
	while ((errno = 0, entry = readdir(dir)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9')
			look(usage->proc_fd, entry->d_name, sum);
	errnum = errno;
	(void)closedir(dir);
	return -errnum;
}

/* Files in memory, and segments of System V shared memory (shmctl(2)). */
static uint64_t in_files(const struct usage *usage)
{
	struct shm_info shm = { 0 };
	struct statfs fs;
	uint64_t bytes = 0;

	if (!fstatfs(usage->tmp_fd, &fs))
		bytes += (fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
	if (shmctl(0, SHM_INFO, (struct shmid_ds *)&shm) >= 0)
		bytes += (shm.shm_rss + shm.shm_swp) *
			 (uint64_t)sysconf(_SC_PAGESIZE);
	return bytes;
}

int usage_memory(const struct usage *usage, uint64_t most, uint64_t *bytes)
{
	uint64_t files = in_files(usage);
	int r;

	*bytes = files;
	r = add_all(usage, add_whole, bytes);
	if (r < 0 || *bytes <= most)
		return r;
	*bytes = files;
	return add_all(usage, add_share, bytes);
}

int usage_tasks(const struct usage *usage, uint64_t *count)
{
	*count = 0;
	return add_all(usage, add_tasks, count);
}
