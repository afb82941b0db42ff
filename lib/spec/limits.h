/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_LIMITS_H
#define CHOCK_SPEC_LIMITS_H

/*
 * limits - how much of the machine a sandbox gets
 *
 * The keys are those of `limit` in chock-policy(5) and of --limit.  Each has
 * a name, a default and a state in the report (spec/limitrow.h): a limit
 * that cannot be held here is said to be off, and never silently dropped.
 */

#include <stdint.h>

#include "base/nearest.h"
#include "base/span.h"

struct buf;
struct why;

#define LIMIT_NONE UINT64_MAX
#define LIMIT_MOST ((uint64_t)INT64_MAX) /* which a report can still name */

enum limit {
	LIMIT_CORE,      /* bytes; default 0 */
	LIMIT_DATA,      /* bytes; default none */
	LIMIT_FILES,     /* open files of a process; default 1024 */
	LIMIT_FILE_SIZE, /* bytes of one file; default 1 GiB */
	LIMIT_CPU_TIME,  /* seconds of a process; default 3600 */
	LIMIT_PROCESSES, /* default 256, or 64 a processor that we have */
	LIMIT_MEMORY,    /* bytes of all processes together; default 2 GiB */
	LIMIT_CPU,       /* hundredths of a processor; default none */
	LIMIT_DISK,      /* bytes that are written to disks; default 10 GiB */
	LIMIT_SCRATCH,   /* bytes of /tmp, /dev/shm, the home and every
			  * tmpfs together; default 256 MiB */
	LIMIT_COW,       /* bytes of what a copy on write keeps apart;
			  * default 1 GiB */
	LIMIT_CACHE,     /* bytes of a home's caches that stay for the next
			  * run; default 2 GiB; none of them stays with 0 */
	LIMIT_TIME,      /* seconds of wall clock; default none */
	LIMIT_COUNT
};

/*
 * A file in memory costs memory of the kernel's as well, which no size counts:
 * of one file system there are as many as it has times so many bytes.
 */
#define LIMIT_FILE_BYTES 4096

/* And so many more of scratch, in which the sandbox's own tree is. */
#define LIMIT_SCRATCH_FILES 8192

#define LIMIT_BIT(limit) (UINT32_C(1) << (limit))

struct limits {
	uint64_t value[LIMIT_COUNT];
};

/* limits_init - the defaults */
void limits_init(struct limits *limits);

/* limit_name - "core", "data", ..., as in a policy and in the report */
const char *limit_name(enum limit limit);

/*
 * limits_read - set one limit from the words of a policy or of --limit K=V
 *
 * @value is a number with a unit, "none", or a percentage of the machine
 * where that means something: its processes, its memory, its processors.
 *
 * Returns 0, -ENOENT for a key that is none (with the nearest right one in
 * @why), or -EINVAL for a bad value.
 */
int limits_read(struct limits *limits, struct span key, struct span value,
		struct why *why);

/*
 * limits_clamp - lower what is above the hard limits of the calling process
 *
 * For limits_set() sets no more than those, and what is reported is to hold.
 */
void limits_clamp(struct limits *limits);

/*
 * limits_set - put on the calling process the limits that rlimits can hold
 *
 * Soft and hard alike, but for CPU time, whose hard limit is 30 s above the
 * soft one, so that a program gets SIGXCPU before SIGKILL.  Where a hard
 * limit of the caller is lower already, that one stays.
 */
int limits_set(const struct limits *limits, struct why *why);

/* limits_tasks - how many tasks there are on the machine, threads included */
uint64_t limits_tasks(void);

/* limits_report - the value of @limit, as a field of @report */
void limits_report(struct buf *report, const struct limits *limits,
		   enum limit limit);

/* limits_raise - the value of @limit, as one would write it, and how to raise
 * it: "4KiB, and '--limit ..." */
void limits_raise(struct buf *words, const struct limits *limits,
		  enum limit limit);

/* limits_list - their names, with commas between and an "and" */
void limits_list(struct buf *list);

/*
 * limits_meant - what a message that @text is no size ends with
 *
 * Puts "; did you mean '64MiB'?" into @clause for a unit that is written as
 * others do, such as 64M or 64mb, or "".  Returns @clause.
 */
const char *limits_meant(char clause[NEAREST_ROOM], struct span text);

#endif /* CHOCK_SPEC_LIMITS_H */
