/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_LIMITROW_H
#define CHOCK_SPEC_LIMITROW_H

/*
 * limitrow - how far each limit of a sandbox holds, and why no further
 *
 * A limit is held by what there is for it: an rlimit, a cgroup, or somebody
 * who looks now and then.  Who builds a sandbox says what it has, and the rows
 * say what that comes to.
 *
 * Invariants
 *   - A limit is LIMIT_OFF until limitrow_note().
 *   - A row that is neither on nor for want of a value off has a reason.
 */

#include <stdbool.h>
#include <stdint.h>

#include "spec/limits.h"

struct buf;

enum limit_state {
	LIMIT_OFF,      /* nobody holds it, or there is none */
	LIMIT_ON,       /* it holds */
	LIMIT_PARTIAL,  /* it holds but for what the reason says */
	LIMIT_SUPPLIED, /* the caller's own cgroup is to hold it */
};

#define LIMIT_REASON_MAX 120

struct limit_row {
	enum limit_state state;
	char reason[LIMIT_REASON_MAX]; /* "" where there is nothing to say */
};

/* What a sandbox has to hold its limits with. */
struct limit_means {
	uint32_t cgroup;   /* LIMIT_BIT()s of what a cgroup of ours holds */
	bool supplied;     /* it is in a cgroup of the caller's */
	bool swap_free;    /* what is swapped out is not counted */
	bool watched;      /* process 1 looks at memory, and as root at
			    * processes, now and then */
	bool disk_watched; /* and somebody outside at the disks */
	bool disk_blind;   /* who cannot: none says how much is free */
	const char *disk_remote; /* a type of file system that they are not
				  * looked at on, or NULL; lives for ever */
	bool root;               /* no rlimit of processes binds it */
	bool no_core;            /* the caller's core limit is 0 for good */
	bool cow;                /* there is a copy on write */
	uint64_t beside; /* tasks that an rlimit of processes may count as
			    * well: those of the user outside */
};

/*
 * limitrow_rlimits - @limits as rlimits are to have them
 *
 * What a limit of processes counts outside comes on top of it.  Where a cgroup
 * holds processes it is to be the first to refuse one, for it says afterwards
 * that it did.
 */
struct limits limitrow_rlimits(const struct limits *limits,
			       const struct limit_means *means);

/* limitrow_note - fill in @rows, of which there are LIMIT_COUNT */
void limitrow_note(struct limit_row *rows, const struct limits *limits,
		   const struct limit_means *means);

/* limitrow_report - the report's "limits" object, put behind @report */
void limitrow_report(struct buf *report, const struct limit_row *rows,
		     const struct limits *limits);

#endif /* CHOCK_SPEC_LIMITROW_H */
