/* SPDX-License-Identifier: ISC */
#include "spec/limitrow.h"

#include <stdio.h>

#include "base/buf.h"
#include "record/json.h"

#define BEHIND_CGROUP 8 /* processes that an rlimit leaves to a cgroup */

static void set(struct limit_row *row, enum limit_state state,
		const char *reason)
{
	row->state = state;
	(void)snprintf(row->reason, sizeof(row->reason), "%s", reason);
}

static void note_memory(struct limit_row *row, const struct limit_means *means)
{
	if (means->cgroup & LIMIT_BIT(LIMIT_MEMORY) && means->swap_free)
		set(row, LIMIT_PARTIAL,
		    "this kernel does not count what is swapped out");
	else if (means->cgroup & LIMIT_BIT(LIMIT_MEMORY))
		set(row, LIMIT_ON, "");
	else if (means->watched)
		set(row, LIMIT_PARTIAL,
		    "process 1 looks ten times a second; memfds that are not "
		    "mapped and kernel buffers are not held");
	else
		set(row, LIMIT_OFF, "there is no cgroup, and nobody looks");
}

/*
 * The kernel counts root's processes and never refuses one (fork(2), EAGAIN),
 * so that a limit on them is none.
 */
static void note_processes(struct limit_row *row,
			   const struct limit_means *means)
{
	bool binds = means->cgroup & LIMIT_BIT(LIMIT_PROCESSES) ||
		     (!means->root && !means->beside);

	if (binds)
		set(row, LIMIT_ON, "");
	else if (!means->root)
		set(row, LIMIT_PARTIAL,
		    "the kernel counts all that the user runs: as many as the "
		    "machine had before come on top");
	else if (means->watched)
		set(row, LIMIT_PARTIAL,
		    "root's: process 1 counts them ten times a second");
	else
		set(row, LIMIT_OFF, "the kernel never refuses root a process");
}

static void note_cpu(struct limit_row *row, const struct limit_means *means)
{
	if (means->cgroup & LIMIT_BIT(LIMIT_CPU))
		set(row, LIMIT_ON, "");
	else
		set(row, LIMIT_OFF, "there is no cgroup");
}

/* Who serves it may never answer, and then nobody would see to a limit. */
static void set_remote(struct limit_row *row, enum limit_state state,
		       const char *type, const char *rest)
{
	row->state = state;
	(void)snprintf(row->reason, sizeof(row->reason),
		       "not looked at on %s, which may never answer%s", type,
		       rest);
}

static void note_disk(struct limit_row *row, const struct limit_means *means)
{
	if (means->disk_watched && means->disk_remote)
		set_remote(row, LIMIT_PARTIAL, means->disk_remote,
			   "; files without a name count only as space");
	else if (means->disk_remote)
		set_remote(row, LIMIT_OFF, means->disk_remote, "");
	else if (means->disk_watched)
		set(row, LIMIT_PARTIAL,
		    "looked at once a second; files without a name count only "
		    "against the space that is left");
	else if (means->disk_blind)
		set(row, LIMIT_OFF,
		    "no file system that can be written says what is left");
	else
		set(row, LIMIT_OFF, "nothing on a disk can be written");
}

/* Without privileges 0 stays 0, and 1 it would have to be; see limits.c. */
static void note_core(struct limit_row *row, const struct limit_means *means)
{
	if (means->no_core)
		set(row, LIMIT_PARTIAL,
		    "the caller's limit of 0 stops no dump that the kernel "
		    "pipes to a program");
	else
		set(row, LIMIT_ON, "");
}

/* What is left to the caller's cgroup; an rlimit of processes is there too. */
static bool of_cgroup(enum limit limit, const struct limit_means *means)
{
	return limit == LIMIT_MEMORY || limit == LIMIT_CPU ||
	       (limit == LIMIT_PROCESSES && means->root);
}

static void note(struct limit_row *row, enum limit limit,
		 const struct limit_means *means)
{
	if (means->supplied && of_cgroup(limit, means))
		set(row, LIMIT_SUPPLIED,
		    "how much it is, the caller's cgroup says");
	else if (limit == LIMIT_CORE)
		note_core(row, means);
	else if (limit == LIMIT_MEMORY)
		note_memory(row, means);
	else if (limit == LIMIT_PROCESSES)
		note_processes(row, means);
	else if (limit == LIMIT_CPU)
		note_cpu(row, means);
	else if (limit == LIMIT_DISK)
		note_disk(row, means);
	else if (limit == LIMIT_COW && !means->cow)
		set(row, LIMIT_OFF, "nothing is kept apart in memory");
	else if (limit == LIMIT_CACHE)
		set(row, LIMIT_OFF,
		    "chock run holds it, when a session is over");
	else
		set(row, LIMIT_ON, "");
}

void limitrow_note(struct limit_row *rows, const struct limits *limits,
		   const struct limit_means *means)
{
	unsigned int i;

	for (i = 0; i < LIMIT_COUNT; i++)
		if (limits->value[i] == LIMIT_NONE)
			set(&rows[i], LIMIT_OFF, "");
		else
			note(&rows[i], (enum limit)i, means);
}

static uint64_t add(uint64_t value, uint64_t more)
{
	return value < LIMIT_NONE - more ? value + more : LIMIT_NONE;
}

struct limits limitrow_rlimits(const struct limits *limits,
			       const struct limit_means *means)
{
	struct limits own = *limits;
	uint64_t *processes = &own.value[LIMIT_PROCESSES];

	*processes = add(*processes, means->beside);
	if (means->cgroup & LIMIT_BIT(LIMIT_PROCESSES))
		*processes = add(*processes, BEHIND_CGROUP);
	return own;
}

void limitrow_report(struct buf *report, const struct limit_row *rows,
		     const struct limits *limits)
{
	static const char *const states[] = {
		[LIMIT_OFF] = "off",
		[LIMIT_ON] = "on",
		[LIMIT_PARTIAL] = "partial",
		[LIMIT_SUPPLIED] = "supplied",
	};
	unsigned int i;

	json_open_object(report, "limits");
	for (i = 0; i < LIMIT_COUNT; i++) {
		json_open_object(report, limit_name((enum limit)i));
		limits_report(report, limits, (enum limit)i);
		json_str(report, "state", span_of(states[rows[i].state]));
		if (*rows[i].reason)
			json_str(report, "reason", span_of(rows[i].reason));
		json_close_object(report);
	}
	json_close_object(report);
}
