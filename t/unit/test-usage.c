/* SPDX-License-Identifier: ISC */
/* usage: what is counted of processes, as their /proc tells it */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "limit/usage.h"
#include "scratch.h"
#include "tap.h"

#define KIB UINT64_C(1024)

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		exit(111);
	(void)close(fd);
}

static uint64_t page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Two processes, of 1000 and 10 pages, and what is no process. */
static void make_proc(void)
{
	if (mkdir("p", 0700) < 0 || mkdir("p/1", 0700) < 0 ||
	    mkdir("p/27", 0700) < 0 || mkdir("p/sys", 0700) < 0 ||
	    mkdir("p/1/task", 0700) < 0 || mkdir("p/1/task/1", 0700) < 0 ||
	    mkdir("p/27/task", 0700) < 0 || mkdir("p/27/task/27", 0700) < 0 ||
	    mkdir("p/27/task/28", 0700) < 0)
		exit(111);
	put("p/1/statm", "5000 1000 300 1 0 200 0\n");
	put("p/1/smaps_rollup",
	    "55a0-7ffd ---p 00000000 00:00 0    [rollup]\n"
	    "Rss:                4000 kB\nPss:                3000 kB\n"
	    "Pss_Anon:           1500 kB\nPss_File:           1300 kB\n"
	    "Pss_Shmem:           200 kB\n");
	put("p/27/statm", "50 10 3 1 0 2 0\n");
	put("p/sys/statm", "1 999999 1 1 1 1 1\n");
}

static uint64_t memory(const struct usage *usage, uint64_t most)
{
	uint64_t bytes = 0;

	return usage_memory(usage, most, &bytes) < 0 ? UINT64_MAX : bytes;
}

/* A procfs holds no bytes, so that nothing but processes counts. */
static void counts_memory(const struct usage *usage)
{
	uint64_t quick = memory(usage, UINT64_MAX);
	uint64_t slow = memory(usage, 0);

	ok(quick - slow == 1000 * page() - 1700 * KIB,
	   "of what is shared a share, where the whole is too much; what cannot "
	   "be told apart whole");
	put("p/1/smaps_rollup", "x\nRss: 4000 kB\nPss: 3000 kB\n");
	ok(quick - memory(usage, 0) == 1000 * page() - 3000 * KIB,
	   "where kinds are not told apart, all of them");
	put("p/1/smaps_rollup", "nothing of use\n");
	ok(memory(usage, 0) == quick, "and else what is resident");
}

/* As a kernel with a swap and a pool of huge pages tells it. */
static void counts_what_is_not_resident(const struct usage *usage)
{
	uint64_t before = memory(usage, UINT64_MAX);

	put("p/1/status", "Name:\tx\nGroups:\t1 2 \nVmRSS:\t    4000 kB\n"
			  "RssAnon:\t    1000 kB\nVmSwap:\t     300 kB\n"
			  "HugetlbPages:\t    2048 kB\nThreads:\t1\n");
	ok(memory(usage, UINT64_MAX) - before ==
		   (4000 + 300 + 2048) * KIB - 1000 * page(),
	   "what is swapped out, and huge pages");
	put("p/1/smaps_rollup",
	    "x\nPss: 3000 kB\nPss_Anon: 1500 kB\nPss_File: 1300 kB\n"
	    "Pss_Shmem: 200 kB\nShared_Hugetlb: 4096 kB\n"
	    "Private_Hugetlb: 2048 kB\nSwap: 300 kB\nSwapPss: 100 kB\n");
	ok(memory(usage, 0) - before ==
		   (1500 + 200 + 4096 + 2048 + 100) * KIB - 1000 * page(),
	   "and where shares count, too");
	put("p/1/smaps_rollup", "nothing of use\n");
	ok(memory(usage, 0) == memory(usage, UINT64_MAX),
	   "and of who does not let itself be looked at, whole");
	put("p/1/status", "Name:\tx\nState:\tZ (zombie)\nThreads:\t1\n");
	ok(memory(usage, UINT64_MAX) == before, "or else what statm says");
	put("p/1/statm", "0 0 0 0 0 0 0\n");
	before = memory(usage, UINT64_MAX);
	if (mkdir("p/28", 0700) < 0 || mkdir("p/1/task/28", 0700) < 0)
		exit(111);
	put("p/28/status", "Name:\tx\nVmRSS:\t    4000 kB\n");
	ok(memory(usage, UINT64_MAX) - before == 2 * 4000 * KIB,
	   "of who has no first thread any more, what another one has");
	if (unlink("p/28/status") < 0 || rmdir("p/28") < 0 ||
	    rmdir("p/1/task/28") < 0)
		exit(111);
}

static void counts_tasks(const struct usage *usage)
{
	uint64_t count = 0;

	ok(!usage_tasks(usage, &count) && count == 3,
	   "processes and their threads");
}

static void fails_where_it_cannot_look(void)
{
	struct usage usage = USAGE_CLOSED;

	ok(usage_open(&usage, "no", "/proc") == -ENOENT && usage.proc_fd < 0,
	   "no /proc is an error");
	ok(usage_memory(&usage, 0, &(uint64_t){ 0 }) < 0 &&
		   usage_tasks(&usage, &(uint64_t){ 0 }) < 0,
	   "and so is looking without");
}

int main(void)
{
	struct usage usage = USAGE_CLOSED;

	scratch_enter();
	make_proc();
	ok(!usage_open(&usage, "p", "/proc"), "opens what it looks at");
	counts_memory(&usage);
	counts_what_is_not_resident(&usage);
	counts_tasks(&usage);
	usage_close(&usage);
	fails_where_it_cannot_look();
	ok(scratch_leave(), "cleans up");
	return tap_end();
}
