/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_SPEC_EXCEEDED_H
#define CHOCK_SPEC_EXCEEDED_H

/*
 * exceeded - what its limits did to what ran in a sandbox
 *
 * Filled in by who watches a limit, or asks the kernel afterwards, and read by
 * who has to say why a command ended.
 *
 * Invariants
 *   - An all-zero struct is that of a sandbox that met no limit.
 */

#include <stdbool.h>
#include <stdint.h>

#include "spec/limits.h"

struct buf;

struct exceeded {
	uint32_t ended;     /* LIMIT_BIT()s: everything was ended for it */
	uint32_t full;      /* LIMIT_BIT()s: no room was left within it */
	bool floor;         /* for disk: little space was left, for anybody */
	bool crowded;       /* for disk: few inodes were */
	bool blind;         /* for memory: it could not be looked at */
	uint64_t oom_kills; /* processes that the kernel killed for memory */
	uint64_t refused;   /* processes that the cgroup did not let begin */
	uint64_t peak;      /* bytes of memory at most; 0 where not known */
};

/*
 * exceeded_killed - "memory", "processes" or "disk", if a command that died of
 * SIGKILL did so for that, or NULL
 */
const char *exceeded_killed(const struct exceeded *exceeded);

/*
 * exceeded_notice - what happened, in plain words, put behind @notice
 *
 * With what each of @limits that it was for is, and what raises it.
 * @killed says whether the command itself died of SIGKILL.
 */
void exceeded_notice(struct buf *notice, const struct exceeded *exceeded,
		     const struct limits *limits, bool killed);

/*
 * exceeded_notice_full - which of @limits left no room, and what gives more
 *
 * Of a command that failed: whether it wanted to write there is not known.
 */
void exceeded_notice_full(struct buf *notice, const struct exceeded *exceeded,
			  const struct limits *limits);

#endif /* CHOCK_SPEC_EXCEEDED_H */
