/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/why.h"
#include "record/json.h"
#include "spec/limits.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct limits limits;
static struct why why;

static int take(const char *key, const char *value)
{
	return limits_read(&limits, span_of(key), span_of(value), &why);
}

static void defaults_are_those_of_the_manual(void)
{
	limits_init(&limits);
	ok(limits.value[LIMIT_CORE] == 0, "core is 0 at first");
	ok(limits.value[LIMIT_DATA] == LIMIT_NONE, "data has no limit");
	ok(limits.value[LIMIT_FILES] == 1024, "1024 open files");
	ok(limits.value[LIMIT_FILE_SIZE] == 1073741824, "a file of 1 GiB");
	ok(limits.value[LIMIT_CPU_TIME] == 3600, "an hour of CPU time");
	ok(limits.value[LIMIT_PROCESSES] >= 256, "256 processes or more");
	ok(limits.value[LIMIT_MEMORY] == 2147483648, "2 GiB of memory");
	ok(limits.value[LIMIT_CPU] == LIMIT_NONE, "all processors");
	ok(limits.value[LIMIT_DISK] == 10737418240, "10 GiB on disks");
	ok(limits.value[LIMIT_SCRATCH] == 268435456, "256 MiB of scratch");
	ok(limits.value[LIMIT_COW] == 1073741824, "1 GiB kept apart");
	ok(limits.value[LIMIT_CACHE] == 2147483648, "2 GiB of caches");
	ok(limits.value[LIMIT_TIME] == LIMIT_NONE, "no limit of time");
}

static void values_are_read_with_their_units(void)
{
	limits_init(&limits);
	ok(!take("file-size", "2GiB") &&
		   limits.value[LIMIT_FILE_SIZE] == UINT64_C(2) << 30,
	   "a size has a unit");
	ok(!take("cpu-time", "5m") && limits.value[LIMIT_CPU_TIME] == 300,
	   "a time has a unit");
	ok(!take("data", "none") && limits.value[LIMIT_DATA] == LIMIT_NONE,
	   "none is no limit");
	ok(!take("processes", "50%") && limits.value[LIMIT_PROCESSES] > 256 &&
		   limits.value[LIMIT_PROCESSES] <= 2097152,
	   "half of the machine's processes");
	ok(!take("cpu", "2") && limits.value[LIMIT_CPU] == 200,
	   "two processors");
	ok(!take("cpu", "50%") &&
		   limits.value[LIMIT_CPU] ==
			   (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) * 50,
	   "half of the machine's processors");
	ok(!take("memory", "100%") &&
		   limits.value[LIMIT_MEMORY] ==
			   (uint64_t)sysconf(_SC_PHYS_PAGES) *
				   (uint64_t)sysconf(_SC_PAGESIZE),
	   "all of the machine's memory");
	ok(!take("cache", "0") && !limits.value[LIMIT_CACHE],
	   "no cache at all");
	ok(!take("disk", "1TiB") && limits.value[LIMIT_DISK] == UINT64_C(1)
									<< 40,
	   "a large disk");
}

static void wrong_values_change_nothing(void)
{
	static const char *const wrong[][2] = {
		{ "files", "" },
		{ "files", "3" },
		{ "files", "-5" },
		{ "files", "1KiB" },
		{ "files", "50%" },
		{ "processes", "0" },
		{ "processes", "0%" },
		{ "processes", "101%" },
		{ "processes", "%" },
		{ "cpu-time", "0" },
		{ "cpu", "0" },
		{ "cpu", "1.5" },
		{ "cpu", "18446744073709551614" },
		{ "memory", "1MiB" },
		{ "memory", "0%" },
		{ "disk", "10%" },
		{ "disk", "0" },
		{ "scratch", "none" },
		{ "scratch", "0" },
		{ "core", "1 MiB" },
		{ "core", "18446744073709551615" },
		{ "core", "9223372036854775808" },
		{ "files", "18446744073709551614" },
		{ "file-size", "1e9" },
		{ "time", "soon" },
		{ "time", "99999999999999999999" },
	};
	struct limits before;
	int taken = 0;
	size_t i;

	limits_init(&limits);
	before = limits;
	for (i = 0; i < COUNT(wrong); i++)
		if (take(wrong[i][0], wrong[i][1]) != -EINVAL) {
			printf("# %s=%s\n", wrong[i][0], wrong[i][1]);
			taken++;
		}
	ok(!taken, "refuses what is no value");
	ok(!memcmp(&before, &limits, sizeof(limits)), "and keeps what it had");
}

static void keys_are_known_or_named(void)
{
	ok(take("proceses", "1") == -ENOENT && strstr(why.text, "'processes'"),
	   "names the nearest key");
	ok(!strcmp(limit_name(LIMIT_CPU_TIME), "cpu-time"), "names a limit");
}

static void a_report_can_name_all(void)
{
	autobuf struct buf report = { 0 };

	ok(!take("core", "9223372036854775807"), "takes the most there is");
	limits_report(&report, &limits, LIMIT_CORE);
	ok(strstr(buf_str(&report), "\"value\":9223372036854775807"),
	   "and reports it as it is");
	ok(limits_tasks() > 0, "counts the tasks of the machine");
}

/* In a child, for a hard limit cannot be raised again. */
static int in_child(int (*check)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(check());
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static int is(__rlimit_resource_t resource, rlim_t soft, rlim_t hard)
{
	struct rlimit now;

	return !getrlimit(resource, &now) && now.rlim_cur == soft &&
	       now.rlim_max == hard;
}

static int sets_soft_and_hard(void)
{
	limits_init(&limits);
	(void)take("files", "77");
	(void)take("cpu-time", "10");
	(void)take("data", "1GiB");
	return limits_set(&limits, &why) < 0 || !is(RLIMIT_NOFILE, 77, 77) ||
	       !is(RLIMIT_CPU, 10, 40) || !is(RLIMIT_CORE, 1, 1) ||
	       !is(RLIMIT_DATA, 1 << 30, 1 << 30) ||
	       !is(RLIMIT_FSIZE, 1 << 30, 1 << 30);
}

static int keeps_a_lower_hard_limit(void)
{
	static const struct rlimit low = { 20, 50 };
	static const struct rlimit cpu = { 5, 15 };

	limits_init(&limits);
	return setrlimit(RLIMIT_NOFILE, &low) < 0 ||
	       setrlimit(RLIMIT_CPU, &cpu) < 0 ||
	       limits_set(&limits, &why) < 0 || !is(RLIMIT_NOFILE, 50, 50) ||
	       !is(RLIMIT_CPU, 15, 15);
}

static int is_lowered_to_hard_limits(void)
{
	static const struct rlimit low = { 20, 50 };
	uint64_t memory, core;

	limits_init(&limits);
	(void)take("data", "none");
	memory = limits.value[LIMIT_MEMORY];
	core = limits.value[LIMIT_CORE];
	if (setrlimit(RLIMIT_NOFILE, &low) < 0 ||
	    setrlimit(RLIMIT_DATA, &(struct rlimit){ 1 << 30, 1 << 30 }) < 0)
		return 1;
	limits_clamp(&limits);
	return limits.value[LIMIT_FILES] != 50 ||
	       limits.value[LIMIT_MEMORY] != memory ||
	       limits.value[LIMIT_CORE] != core ||
	       limits.value[LIMIT_DATA] != LIMIT_NONE;
}

static int leaves_the_rest(void)
{
	struct rlimit as, stack, data;

	limits_init(&limits);
	return getrlimit(RLIMIT_AS, &as) < 0 ||
	       getrlimit(RLIMIT_STACK, &stack) < 0 ||
	       getrlimit(RLIMIT_DATA, &data) < 0 ||
	       limits_set(&limits, &why) < 0 ||
	       !is(RLIMIT_AS, as.rlim_cur, as.rlim_max) ||
	       !is(RLIMIT_STACK, stack.rlim_cur, stack.rlim_max) ||
	       !is(RLIMIT_DATA, data.rlim_cur, data.rlim_max);
}

static void the_report_has_values(void)
{
	autobuf struct buf report = { 0 };
	const char *text;

	limits_init(&limits);
	(void)take("cpu", "2");
	json_open(&report);
	limits_report(&report, &limits, LIMIT_FILES);
	limits_report(&report, &limits, LIMIT_DATA);
	limits_report(&report, &limits, LIMIT_CPU);
	text = buf_str(&report);
	ok(!strcmp(text, "{\"value\":1024,\"value\":\"none\","
			 "\"value\":2.00"),
	   "a number, none, and processors");
}

int main(void)
{
	defaults_are_those_of_the_manual();
	values_are_read_with_their_units();
	wrong_values_change_nothing();
	keys_are_known_or_named();
	a_report_can_name_all();
	(void)fflush(stdout);
	ok(in_child(sets_soft_and_hard), "sets soft and hard limits");
	ok(in_child(keeps_a_lower_hard_limit), "never raises a hard limit");
	ok(in_child(is_lowered_to_hard_limits),
	   "lowers what is above a hard limit, and leaves what is none");
	ok(in_child(leaves_the_rest), "leaves AS, STACK and what is none");
	the_report_has_values();
	return tap_end();
}
