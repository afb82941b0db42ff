/* SPDX-License-Identifier: ISC */
/* limitrow: what there is to hold a limit with, and how far it holds then */
#include <string.h>

#include "base/buf.h"
#include "spec/limitrow.h"
#include "tap.h"

#define BOTH (LIMIT_BIT(LIMIT_MEMORY) | LIMIT_BIT(LIMIT_PROCESSES))

static struct limit_row rows[LIMIT_COUNT];
static struct limits limits;

static void note(struct limit_means means)
{
	limits_init(&limits);
	limits.value[LIMIT_CPU] = 100;
	limitrow_note(rows, &limits, &means);
}

static int is(enum limit limit, enum limit_state state)
{
	return rows[limit].state == state &&
	       (state == LIMIT_ON || rows[limit].reason[0]);
}

static void a_cgroup_holds(void)
{
	note((struct limit_means){ .cgroup = BOTH, .watched = true });
	ok(is(LIMIT_MEMORY, LIMIT_ON) && is(LIMIT_PROCESSES, LIMIT_ON),
	   "a cgroup holds memory and processes");
	ok(is(LIMIT_CPU, LIMIT_OFF), "and cpu only if it is told to");
	note((struct limit_means){ .cgroup = BOTH, .root = true });
	ok(is(LIMIT_PROCESSES, LIMIT_ON), "root's as well");
	note((struct limit_means){ .cgroup = BOTH, .swap_free = true });
	ok(is(LIMIT_MEMORY, LIMIT_PARTIAL),
	   "memory only in part where swap is not counted");
	note((struct limit_means){ .cgroup = LIMIT_BIT(LIMIT_CPU) });
	ok(is(LIMIT_CPU, LIMIT_ON), "processors");
}

static void looking_holds_in_part(void)
{
	note((struct limit_means){ .watched = true, .root = true });
	ok(is(LIMIT_MEMORY, LIMIT_PARTIAL) &&
		   is(LIMIT_PROCESSES, LIMIT_PARTIAL),
	   "who looks holds in part");
	note((struct limit_means){ .watched = true });
	ok(is(LIMIT_PROCESSES, LIMIT_ON), "an rlimit holds all but root");
	note((struct limit_means){ .root = true });
	ok(is(LIMIT_MEMORY, LIMIT_OFF) && is(LIMIT_PROCESSES, LIMIT_OFF),
	   "nobody holds nothing");
	ok(is(LIMIT_DISK, LIMIT_OFF), "no disk, no limit");
	ok(!strcmp(rows[LIMIT_DISK].reason, "nothing on a disk can be written"),
	   "and no other reason");
	note((struct limit_means){ .disk_blind = true });
	ok(is(LIMIT_DISK, LIMIT_OFF) &&
		   !!strcmp(rows[LIMIT_DISK].reason,
			    "nothing on a disk can be written"),
	   "one that does not say what is left, another");
	ok(is(LIMIT_COW, LIMIT_OFF), "no copy, no limit");
	note((struct limit_means){ .cow = true, .beside = 7 });
	ok(is(LIMIT_COW, LIMIT_ON), "a copy has one");
	ok(is(LIMIT_PROCESSES, LIMIT_PARTIAL),
	   "an rlimit that counts others too holds in part");
	note((struct limit_means){ .disk_watched = true });
	ok(is(LIMIT_DISK, LIMIT_PARTIAL), "a disk is looked at");
	note((struct limit_means){ .disk_watched = true,
				   .disk_remote = "nfs4" });
	ok(is(LIMIT_DISK, LIMIT_PARTIAL) &&
		   !strcmp(rows[LIMIT_DISK].reason,
			   "not looked at on nfs4, which may never answer; "
			   "files without a name count only as space"),
	   "but not what a network serves");
	note((struct limit_means){ .disk_remote = "orangefs",
				   .disk_blind = true });
	ok(is(LIMIT_DISK, LIMIT_OFF) &&
		   !strcmp(rows[LIMIT_DISK].reason,
			   "not looked at on orangefs, which may never answer"),
	   "nor where there is nothing else");
	ok(is(LIMIT_CACHE, LIMIT_OFF) && *rows[LIMIT_CACHE].reason,
	   "what is kept for the next run is another's to hold");
	ok(is(LIMIT_CORE, LIMIT_ON),
	   "a core limit of one byte stops all dumps");
	note((struct limit_means){ .no_core = true });
	ok(is(LIMIT_CORE, LIMIT_PARTIAL), "and one of none those to files");
}

static void the_caller_holds(void)
{
	note((struct limit_means){ .supplied = true, .watched = true });
	ok(is(LIMIT_MEMORY, LIMIT_SUPPLIED) && is(LIMIT_CPU, LIMIT_SUPPLIED),
	   "the caller's cgroup is to hold what a cgroup can");
	ok(is(LIMIT_PROCESSES, LIMIT_ON) && is(LIMIT_FILES, LIMIT_ON),
	   "and rlimits hold what they can");
	note((struct limit_means){ .supplied = true, .root = true });
	ok(is(LIMIT_PROCESSES, LIMIT_SUPPLIED), "none binds root");
}

static void a_cgroup_refuses_first(void)
{
	const struct limit_means cgroup = { .cgroup = BOTH };
	const struct limit_means shared = { .beside = 70000 };
	const struct limit_means none = { 0 };
	uint64_t asked;

	limits_init(&limits);
	asked = limits.value[LIMIT_PROCESSES];
	ok(limitrow_rlimits(&limits, &none).value[LIMIT_PROCESSES] == asked,
	   "an rlimit of processes is as it was asked for");
	ok(limitrow_rlimits(&limits, &cgroup).value[LIMIT_PROCESSES] >
		   asked + 1,
	   "and behind that of a cgroup");
	ok(limitrow_rlimits(&limits, &shared).value[LIMIT_PROCESSES] ==
		   asked + 70000,
	   "what an rlimit counts outside comes on top");
	limits.value[LIMIT_PROCESSES] = LIMIT_MOST * 2;
	ok(limitrow_rlimits(&limits, &shared).value[LIMIT_PROCESSES] ==
		   LIMIT_NONE,
	   "and never wraps");
	limits.value[LIMIT_PROCESSES] = LIMIT_NONE;
	ok(limitrow_rlimits(&limits, &cgroup).value[LIMIT_PROCESSES] ==
		   LIMIT_NONE,
	   "but none is none");
}

static void none_is_off(void)
{
	limits_init(&limits);
	limits.value[LIMIT_MEMORY] = LIMIT_NONE;
	limitrow_note(rows, &limits, &(struct limit_means){ .cgroup = BOTH });
	ok(rows[LIMIT_MEMORY].state == LIMIT_OFF && !*rows[LIMIT_MEMORY].reason,
	   "no limit is off, and needs no reason");
}

static void the_report_has_all(void)
{
	autobuf struct buf report = { 0 };
	const char *text;

	note((struct limit_means){ .supplied = true });
	limitrow_report(&report, rows, &limits);
	text = buf_str(&report);
	ok(strstr(text, "\"files\":{\"value\":1024,\"state\":\"on\"}"),
	   "a limit with its value");
	ok(strstr(text, "\"data\":{\"value\":\"none\",\"state\":\"off\"}"),
	   "one that there is not");
	ok(strstr(text, "\"memory\":{\"value\":2147483648,\"state\":"
			"\"supplied\",\"reason\":\""),
	   "a reason");
	ok(strstr(text, "\"cache\":{\"value\":2147483648,"
			"\"state\":\"off\",\"reason\":"),
	   "one that another holds");
}

int main(void)
{
	a_cgroup_holds();
	looking_holds_in_part();
	the_caller_holds();
	a_cgroup_refuses_first();
	none_is_off();
	the_report_has_all();
	return tap_end();
}
