/* SPDX-License-Identifier: ISC */
/*
 * rlimits that are left alone, and why:
 *
 *	RLIMIT_AS          counts what is reserved and never used, of which
 *	                   Go, Java, node and AddressSanitizer take terabytes
 *	RLIMIT_STACK       is also the size of every thread's stack, and the
 *	                   layout of the address space depends on it
 *	RLIMIT_RSS         has no effect since Linux 2.4.30
 *	RLIMIT_MEMLOCK     is small already, and gpg and others need some
 *	RLIMIT_SIGPENDING,
 *	RLIMIT_MSGQUEUE    are counted by user, so that a lower limit would be
 *	                   used up by what runs outside
 *
 * A core limit of 0 stops dumps to files only: to a program (core(5), "Piping
 * core dumps"), which runs as root outside, the kernel writes whatever the
 * limit is, unless that is 1 (fs/coredump.c, since Linux 2.6.33).  A file of
 * one byte it does not begin, for that is less than a page.
 */
#include "spec/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bug.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/num.h"
#include "base/why.h"
#include "record/json.h"

#define CORE_DEFAULT 0
#define CORE_NONE 1 /* what RLIMIT_CORE has to be for that */
#define FILES_DEFAULT 1024
#define FILE_SIZE_DEFAULT (UINT64_C(1) << 30)
#define CPU_TIME_DEFAULT 3600
#define CPU_TIME_GAP 30 /* seconds from SIGXCPU to SIGKILL */
#define PROCESSES_DEFAULT 256
#define PROCESSES_PER_CPU 64 /* who has more processors gets more */
#define CPUS_MOST 8192       /* NR_CPUS_RANGE_END of any architecture */
#define MEMORY_DEFAULT (UINT64_C(2) << 30)
#define MEMORY_LEAST (UINT64_C(8) << 20) /* process 1 lives in it as well */
#define DISK_DEFAULT (UINT64_C(10) << 30)
#define SCRATCH_DEFAULT (UINT64_C(256) << 20)
#define SCRATCH_LEAST 4096

#define COW_DEFAULT (UINT64_C(1) << 30)
#define CACHE_DEFAULT (UINT64_C(2) << 30)
#define COW_LEAST (UINT64_C(1) << 20)

#define NO_RLIMIT (-1)
#define DIGITS "0123456789"

typedef int read_number(uint64_t *value, struct span text, uint64_t max);

/* A whole number of processors, in hundredths. */
static int read_processors(uint64_t *value, struct span text, uint64_t max)
{
	int r = num_read(value, text, max / 100);

	if (!r)
		*value *= 100;
	return r;
}

static const char a_size[] = "a size, such as 512MiB";
static const char a_time[] = "a time, such as 90s";
static const char a_number[] = "a number";
static const char processors[] = "a number of processors";

static const struct {
	const char *name;
	int resource; /* RLIMIT_..., or NO_RLIMIT: others hold it */
	read_number *read;
	const char *kind; /* what @read reads, in words */
	uint64_t least;
	bool required; /* "none" is not for it */
} rows[LIMIT_COUNT] = {
	[LIMIT_CORE] = { "core", RLIMIT_CORE, num_read_size, a_size, 0, false },
	[LIMIT_DATA] = { "data", RLIMIT_DATA, num_read_size, a_size, 1, false },
	[LIMIT_FILES] = { "files", RLIMIT_NOFILE, num_read, a_number, 4,
			  false },
	[LIMIT_FILE_SIZE] = { "file-size", RLIMIT_FSIZE, num_read_size, a_size,
			      0, false },
	[LIMIT_CPU_TIME] = { "cpu-time", RLIMIT_CPU, num_read_seconds, a_time,
			     1, false },
	[LIMIT_PROCESSES] = { "processes", RLIMIT_NPROC, num_read, a_number, 1,
			      false },
	[LIMIT_MEMORY] = { "memory", NO_RLIMIT, num_read_size, a_size,
			   MEMORY_LEAST, false },
	[LIMIT_CPU] = { "cpu", NO_RLIMIT, read_processors, processors, 100,
			false },
	[LIMIT_DISK] = { "disk", NO_RLIMIT, num_read_size, a_size, 1, false },
	/* A tmpfs of size 0 is one without a limit. */
	[LIMIT_SCRATCH] = { "scratch", NO_RLIMIT, num_read_size, a_size,
			    SCRATCH_LEAST, true },
	[LIMIT_COW] = { "cow", NO_RLIMIT, num_read_size, a_size, COW_LEAST,
			true },
	[LIMIT_CACHE] = { "cache", NO_RLIMIT, num_read_size, a_size, 0, false },
	[LIMIT_TIME] = { "time", NO_RLIMIT, num_read_seconds, a_time, 1,
			 false },
};

/* Of the processors that we may run on; sysconf(3) would read a file. */
static uint64_t default_processes(void)
{
	unsigned long mask[CPUS_MOST / CHAR_BIT / sizeof(long)] = { 0 };
	cpu_set_t *cpus = (cpu_set_t *)mask;
	uint64_t scaled = 0;

	if (!sched_getaffinity(0, sizeof(mask), cpus))
		scaled = (uint64_t)CPU_COUNT_S(sizeof(mask), cpus) *
			 PROCESSES_PER_CPU;
	return scaled > PROCESSES_DEFAULT ? scaled : PROCESSES_DEFAULT;
}

void limits_init(struct limits *limits)
{
	*limits =
		(struct limits){ .value = {
					 [LIMIT_CORE] = CORE_DEFAULT,
					 [LIMIT_DATA] = LIMIT_NONE,
					 [LIMIT_FILES] = FILES_DEFAULT,
					 [LIMIT_FILE_SIZE] = FILE_SIZE_DEFAULT,
					 [LIMIT_CPU_TIME] = CPU_TIME_DEFAULT,
					 [LIMIT_PROCESSES] =
						 default_processes(),
					 [LIMIT_MEMORY] = MEMORY_DEFAULT,
					 [LIMIT_CPU] = LIMIT_NONE,
					 [LIMIT_DISK] = DISK_DEFAULT,
					 [LIMIT_SCRATCH] = SCRATCH_DEFAULT,
					 [LIMIT_COW] = COW_DEFAULT,
					 [LIMIT_CACHE] = CACHE_DEFAULT,
					 [LIMIT_TIME] = LIMIT_NONE,
				 } };
}

const char *limit_name(enum limit limit)
{
	bug_if(limit >= LIMIT_COUNT);
	return rows[limit].name;
}

static int read_setting(uint64_t *value, const char *path, struct why *why)
{
	autobuf struct buf text = { 0 };
	int r = file_read_path(&text, AT_FDCWD, path, 64, why);

	if (r < 0)
		return r;
	if (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	r = num_read(value, buf_span(&text), UINT64_MAX);
	return r < 0 ? why_set(why, -r, "'%s' holds no number", path) : 0;
}

/* How many processes the whole machine can have. */
static int machine_processes(uint64_t *count, struct why *why)
{
	uint64_t threads;
	int r = read_setting(count, "/proc/sys/kernel/pid_max", why);

	if (r < 0)
		return r;
	r = read_setting(&threads, "/proc/sys/kernel/threads-max", why);
	if (!r && threads < *count)
		*count = threads;
	return r;
}

/* How much of @limit the whole machine has. */
static int machine_has(uint64_t *count, enum limit limit, struct why *why)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long page = sysconf(_SC_PAGESIZE);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (limit == LIMIT_PROCESSES)
		return machine_processes(count, why);
	if (pages <= 0 || page <= 0 || cpus <= 0)
		return why_set(why, ENOSYS,
			       "limit %s: the machine does not say what it has",
			       rows[limit].name);
	*count = limit == LIMIT_MEMORY ? (uint64_t)pages * (uint64_t)page
				       : (uint64_t)cpus * 100;
	return 0;
}

static int read_percent(uint64_t *value, enum limit limit, struct span text,
			struct why *why)
{
	struct span digits = { text.data, text.len - 1 };
	uint64_t percent, machine;
	int r;

	if (limit != LIMIT_PROCESSES && limit != LIMIT_MEMORY &&
	    limit != LIMIT_CPU)
		return why_set(why, EINVAL,
			       "limit %s: a percentage has no meaning here",
			       rows[limit].name);
	if (num_read(&percent, digits, 100) < 0 || !percent)
		return why_set(why, EINVAL,
			       "limit %s: '%.*s' is not from 1%% to 100%%",
			       rows[limit].name, (int)text.len, text.data);
	r = machine_has(&machine, limit, why);
	if (r < 0)
		return r;
	*value = machine / 100 * percent + machine % 100 * percent / 100;
	return 0;
}

/* What the least of @limit is, as one would write it. */
static int too_little(enum limit limit, struct span text, struct why *why)
{
	uint64_t least = rows[limit].least;
	const char *unit = rows[limit].kind == a_size   ? "B"
			   : rows[limit].kind == a_time ? "s"
							: "";

	if (limit == LIMIT_CPU)
		least /= 100;
	if (*unit == 'B')
		unit = num_shorten(&least);
	return why_set(why, EINVAL, "limit %s: '%.*s' is less than %llu%s",
		       rows[limit].name, (int)text.len, text.data,
		       (unsigned long long)least, unit);
}

static int read_value(uint64_t *value, enum limit limit, struct span text,
		      struct why *why)
{
	char near[NEAREST_ROOM];
	int r;

	if (text.len && text.data[text.len - 1] == '%')
		return read_percent(value, limit, text, why);
	if (span_is(text, "none")) {
		if (rows[limit].required)
			return why_set(why, EINVAL,
				       "limit %s: cannot be 'none'",
				       rows[limit].name);
		*value = LIMIT_NONE;
		return 0;
	}
	r = rows[limit].read(value, text, LIMIT_MOST);
	if (r == -ERANGE)
		return why_set(why, EINVAL, "limit %s: '%.*s' is too much",
			       rows[limit].name, (int)text.len, text.data);
	if (r < 0)
		return why_set(why, EINVAL, "limit %s: '%.*s' is not %s%s%s",
			       rows[limit].name, (int)text.len, text.data,
			       rows[limit].kind,
			       rows[limit].required ? "" : ", or none",
			       rows[limit].kind == a_size
				       ? limits_meant(near, text)
				       : "");
	if (*value < rows[limit].least)
		return too_little(limit, text, why);
	return 0;
}

static int no_such_key(struct span key, struct why *why)
{
	const char *names[LIMIT_COUNT];
	autobuf struct buf list = { 0 };
	char near[NEAREST_ROOM];
	size_t i;

	for (i = 0; i < LIMIT_COUNT; i++)
		names[i] = rows[i].name;
	if (*nearest_clause(near, key, names, LIMIT_COUNT))
		return why_set(why, ENOENT, "no limit '%.*s'%s", (int)key.len,
			       key.data, near);
	limits_list(&list);
	return why_set(why, ENOENT, "no limit '%.*s', only %s", (int)key.len,
		       key.data, buf_str(&list));
}

int limits_read(struct limits *limits, struct span key, struct span value,
		struct why *why)
{
	uint64_t number;
	size_t i;
	int r;

	for (i = 0; i < LIMIT_COUNT && !span_is(key, rows[i].name); i++)
		continue;
	if (i == LIMIT_COUNT)
		return no_such_key(key, why);
	r = read_value(&number, (enum limit)i, value, why);
	if (!r)
		limits->value[i] = number;
	return r;
}

/* No rlimit of processes binds root. */
void limits_clamp(struct limits *limits)
{
	struct rlimit now;
	size_t i;

	for (i = 0; i < LIMIT_COUNT; i++)
		if (rows[i].resource != NO_RLIMIT &&
		    limits->value[i] != LIMIT_NONE &&
		    (i != LIMIT_PROCESSES || geteuid() != 0) &&
		    !getrlimit((__rlimit_resource_t)rows[i].resource, &now) &&
		    now.rlim_max < limits->value[i])
			limits->value[i] = now.rlim_max;
}

static int set_one(enum limit limit, uint64_t value, struct why *why)
{
	uint64_t gap = limit == LIMIT_CPU_TIME ? CPU_TIME_GAP : 0;
	struct rlimit now;
	rlim_t hard;

	if (limit == LIMIT_CORE && !value)
		value = CORE_NONE;
	if (getrlimit((__rlimit_resource_t)rows[limit].resource, &now) < 0)
		return why_sys(why, errno, "limit %s: cannot read it",
			       rows[limit].name);
	if (__builtin_add_overflow(value, gap, &hard))
		hard = RLIM_INFINITY;
	if (hard > now.rlim_max)
		hard = now.rlim_max;
	now.rlim_max = hard;
	now.rlim_cur = value < hard ? value : hard;
	if (setrlimit((__rlimit_resource_t)rows[limit].resource, &now) < 0)
		return why_sys(why, errno, "limit %s: cannot set it",
			       rows[limit].name);
	return 0;
}

int limits_set(const struct limits *limits, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; i < LIMIT_COUNT && !r; i++)
		if (rows[i].resource != NO_RLIMIT &&
		    limits->value[i] != LIMIT_NONE)
			r = set_one((enum limit)i, limits->value[i], why);
	return r;
}

/* proc_loadavg(5): all of them stand behind a slash; sysinfo(2) has 16 bits. */
uint64_t limits_tasks(void)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	struct sysinfo info;
	const char *tasks;
	uint64_t count;
	int r = file_read_path(&text, AT_FDCWD, "/proc/loadavg", 128, &why);

	tasks = r < 0 ? NULL : strchr(buf_str(&text), '/');
	if (tasks &&
	    !num_read(&count,
		      (struct span){ tasks + 1, strspn(tasks + 1, DIGITS) },
		      LIMIT_MOST))
		return count;
	return sysinfo(&info) ? 0 : info.procs;
}

void limits_report(struct buf *report, const struct limits *limits,
		   enum limit limit)
{
	uint64_t value = limits->value[limit];

	if (value == LIMIT_NONE)
		json_str(report, "value", span_of("none"));
	else if (limit == LIMIT_CPU)
		json_decimal(report, "value", (double)value / 100, 2);
	else
		json_num(report, "value", (int64_t)value);
}
