/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_USAGE_H
#define CHOCK_LIMIT_USAGE_H

/*
 * usage - what all processes of a sandbox use together, where no cgroup counts
 *
 * Process 1 looks now and then at what its own /proc says of the processes
 * that are there: memory that is theirs alone or shared among them, resident,
 * swapped out or in huge pages, and in files in memory.  What no process has
 * mapped (a memfd that is only open), shared memory that is swapped out and in
 * no file, and what the kernel keeps for them (buffers of pipes and sockets)
 * is not seen.
 *
 * Invariants
 *   - What can be seen is never counted for less than it is.  A page of a file
 *     in memory that is mapped as well counts twice.
 */

#include <stdint.h>

#define USAGE_INTERVAL 100 /* milliseconds between two looks */
#define USAGE_MAX 1000     /* where looking takes long */

#define autousage __attribute__((cleanup(usage_close)))

struct usage {
	int proc_fd; /* owned; -1 when closed */
	int tmp_fd;  /* owned; in the file system in memory */
};

#define USAGE_CLOSED ((struct usage){ .proc_fd = -1, .tmp_fd = -1 })

/*
 * usage_open - look at the processes of @proc and the files in memory of @tmp
 *
 * Returns 0 or -errno.
 */
int usage_open(struct usage *usage, const char *proc, const char *tmp);

/*
 * usage_memory - how many bytes they use
 *
 * The quick answer counts what processes share for each of them; where that is
 * more than @most the slow one is given.  Returns 0 or -errno.
 */
int usage_memory(const struct usage *usage, uint64_t most, uint64_t *bytes);

/* usage_tasks - how many processes and threads there are; 0 or -errno */
int usage_tasks(const struct usage *usage, uint64_t *count);

/* usage_close - look no more; good as USAGE_CLOSED afterwards */
void usage_close(struct usage *usage);

#endif /* CHOCK_LIMIT_USAGE_H */
