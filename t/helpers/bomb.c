/* SPDX-License-Identifier: ISC */
/*
 * bomb - take much of one thing, and say how it went
 *
 *	bomb [-w] HOW COUNT [PATH]
 *
 * Prints "ok" and exits 0, or the name of the errno and exits 1.  With -w it
 * then waits until it is ended, holding what it took.  COUNT is MiB, of
 *
 *	heap                     private memory
 *	shared                   memory that a child could share
 *	forked                   private memory, of three children that share it
 *	threaded                 private memory, of a thread that is the last
 *	segment                  a System V shared memory segment, not attached
 *	memfd                    a file in memory that is not mapped
 *	file PATH                a file that is written
 *	nameless PATH            and has no name any more
 *	read PATH                a file that is written, then read and mapped
 *
 * or a number, of
 *
 *	forks                    processes, each in a session of its own
 *	descriptors              open files
 */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exitcode.h"
#include "base/num.h"
#include "base/report.h"

#define MIB ((size_t)1 << 20)
#define SEALED 8U /* MFD_NOEXEC_SEAL, Linux 6.3: memfd_create(2) */

static bool take(size_t mib, int flags)
{
	char *memory = mmap(NULL, mib * MIB, PROT_READ | PROT_WRITE,
			    MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	memset(memory, 1, mib * MIB);
	return true;
}

static bool heap(size_t mib, const char *path)
{
	(void)path;
	return take(mib, MAP_PRIVATE);
}

static bool shared(size_t mib, const char *path)
{
	(void)path;
	return take(mib, MAP_SHARED);
}

static bool forked(size_t mib, const char *path)
{
	pid_t pid = 1;
	int i;

	(void)path;
	if (!take(mib, MAP_PRIVATE))
		return false;
	for (i = 0; i < 3 && pid > 0; i++)
		pid = fork();
	if (!pid)
		(void)pause();
	return pid > 0;
}

static bool segment(size_t mib, const char *path)
{
	int id = shmget(IPC_PRIVATE, mib * MIB, IPC_CREAT | 0600);
	void *memory = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	(void)path;
	if (memory == (void *)-1)
		return false;
	memset(memory, 1, mib * MIB);
	return !shmdt(memory);
}

static bool fill(int fd, size_t mib)
{
	static char block[MIB];

	memset(block, 1, sizeof(block));
	for (; mib; mib--)
		if (write(fd, block, sizeof(block)) < 0)
			return false;
	return true;
}

static bool memfd(size_t mib, const char *path)
{
	int fd = memfd_create("bomb", MFD_CLOEXEC | SEALED);

	(void)path;
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("bomb", MFD_CLOEXEC);
	return fd >= 0 && fill(fd, mib);
}

static bool file(size_t mib, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd >= 0 && fill(fd, mib);
}

static bool nameless(size_t mib, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd >= 0 && !unlink(path) && fill(fd, mib);
}

static bool read_back(size_t mib, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *memory;
	size_t i, sum = 0;

	if (fd < 0 || !fill(fd, mib) || fsync(fd) < 0)
		return false;
	memory = mmap(NULL, mib * MIB, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return false;
	for (i = 0; i < mib * MIB; i += 4096)
		sum += (size_t)memory[i];
	return sum == mib * MIB / 4096;
}

static bool forks(size_t count, const char *path)
{
	pid_t pid = 1;

	(void)path;
	for (; count && pid > 0; count--)
		pid = fork();
	if (!pid) {
		(void)setsid();
		(void)pause();
	}
	return pid > 0;
}

static bool descriptors(size_t count, const char *path)
{
	(void)path;
	for (; count; count--)
		if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			return false;
	return true;
}

static const struct {
	const char *name;
	bool (*take)(size_t count, const char *path);
} ways[] = {
	{ "heap", heap },         { "shared", shared },
	{ "forked", forked },     { "segment", segment },
	{ "memfd", memfd },       { "file", file },
	{ "nameless", nameless }, { "read", read_back },
	{ "forks", forks },       { "descriptors", descriptors },
	{ "threaded", heap },
};

static bool take_one(const char *how, size_t count, const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(how, ways[i].name))
			return ways[i].take(count, path);
	die(EXIT_MISUSE, "no way '%s'", how);
}

struct call {
	const char *how;
	uint64_t count;
	const char *path;
	bool wait_then;
};

static int run(const struct call *call)
{
	bool fine = take_one(call->how, call->count, call->path);

	if (puts(fine ? "ok" : strerrorname_np(errno)) < 0 ||
	    fflush(stdout) != 0)
		return EXIT_SYSTEM;
	/* Nothing is handled, so that no signal lets it go on. */
	if (call->wait_then)
		(void)pause();
	return fine ? EXIT_ALLOW : EXIT_DENY;
}

static void *run_beside(void *call)
{
	exit(run(call));
}

int main(int argc, char **argv)
{
	bool wait_then = argc > 1 && !strcmp(argv[1], "-w");
	static struct call call;
	pthread_t thread;

	argv += wait_then;
	argc -= wait_then;
	if (argc < 3 || num_read(&call.count, span_of(argv[2]), 1 << 20) < 0)
		die(EXIT_MISUSE, "bomb [-w] HOW COUNT [PATH]");
	call.how = argv[1];
	call.path = argc > 3 ? argv[3] : "bomb";
	call.wait_then = wait_then;
	if (strcmp(call.how, "threaded") != 0)
		return run(&call);
	if (pthread_create(&thread, NULL, run_beside, &call) != 0)
		die(EXIT_SYSTEM, "cannot make a thread");
	/* Not exit(3), which ends all threads. */
	(void)syscall(SYS_exit, 0);
}
