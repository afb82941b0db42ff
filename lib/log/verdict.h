/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_VERDICT_H
#define CHOCK_LOG_VERDICT_H

/*
 * verdict - what can be said of a log by who did not write it
 *
 * Invariants
 *   - Only VERDICT_WHOLE is a yes, and why is filled in for every other.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/why.h"
#include "digest/sha256.h"

enum verdict_outcome {
	VERDICT_BROKEN,     /* a line does not follow from the one before it */
	VERDICT_TORN,       /* the last line is none; all before it hold */
	VERDICT_CUT,        /* it is shorter than it was */
	VERDICT_UNANCHORED, /* it holds, but nothing says how long it was */
	VERDICT_WHOLE,
};

struct verdict {
	enum verdict_outcome outcome;
	uint64_t count; /* lines that hold, from the first */
	char head[SHA256_HEX + 1];
	bool running;  /* its lock is held */
	bool anchored; /* all along: nothing before its end is missing */
	struct why why;
};

/*
 * verdict_reach - judge the log of @session in @log_fd
 *
 * @log_fd stands at its start; @anchor_fd is negative where there is none.
 *
 * Returns 0, or -errno if it cannot be read.
 */
int verdict_reach(struct verdict *verdict, int log_fd, int anchor_fd,
		  struct span session, struct why *why);

/* verdict_word - the one word for it */
const char *verdict_word(const struct verdict *verdict);

#endif /* CHOCK_LOG_VERDICT_H */
