/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_VERDICT_H
#define CHOCK_LOG_VERDICT_H

/*
 * verdict - what can be said of a log by who did not write it
 *
 * Invariants
 *   - Only VERDICT_WHOLE and VERDICT_SEALED are a yes, and why is filled in for
 *     every other.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/why.h"
#include "digest/sha256.h"
#include "log/stamp.h"

enum verdict_outcome {
	VERDICT_BROKEN,     /* a line does not follow from the one before it */
	VERDICT_TORN,       /* the last line is none; all before it hold */
	VERDICT_CUT,        /* it is shorter than it was */
	VERDICT_UNANCHORED, /* it holds, but nothing says how long it was */
	VERDICT_UNSEALED,   /* its seal is none, or another session's */
	VERDICT_WHOLE,
	VERDICT_SEALED, /* whole, and its seal is of all its lines */
};

/* What there is to judge by; descriptors stand at their start. */
struct evidence {
	struct span session;
	int log_fd;
	int anchor_fd;            /* negative: there is none */
	struct span seal;         /* the bytes of its file; NULL: none */
	const struct why *forged; /* why nobody signed these; NULL: signed */
};

struct verdict {
	enum verdict_outcome outcome;
	uint64_t count; /* lines that hold, from the first */
	char head[SHA256_HEX + 1];
	bool running;    /* its lock is held */
	bool anchored;   /* all along: nothing before its end is missing */
	uint64_t sealed; /* lines that a seal is of, from the first */
	char sealed_at[STAMP_LEN + 1];
	struct why why;
};

/*
 * verdict_reach - judge a log by @evidence, which is borrowed
 *
 * Returns 0, or -errno if it cannot be read.
 */
int verdict_reach(struct verdict *verdict, const struct evidence *evidence,
		  struct why *why);

/* verdict_holds - whether it is a yes */
static inline bool verdict_holds(const struct verdict *verdict)
{
	return verdict->outcome == VERDICT_WHOLE ||
	       verdict->outcome == VERDICT_SEALED;
}

/* verdict_word - the one word for it */
const char *verdict_word(const struct verdict *verdict);

#endif /* CHOCK_LOG_VERDICT_H */
