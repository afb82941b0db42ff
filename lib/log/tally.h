/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_TALLY_H
#define CHOCK_LOG_TALLY_H

/*
 * tally - what a session came to, counted from the events of its log
 *
 * For people and lists: who wants to be sure that the log was not changed asks
 * log/verdict.
 *
 * Invariants
 *   - An all-zero struct is the tally of no event.
 */

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct record;

#define autotally __attribute__((cleanup(tally_drop)))

struct tally {
	uint64_t events;
	uint64_t calls;   /* results, and calls that were denied */
	uint64_t asked;   /* questions that went to a person or a reviewer */
	uint64_t denied;  /* decisions and answers that are a no */
	uint64_t refused; /* what the sandbox refused a call, as results tell */
	uint64_t files; /* of the work that landed, or is kept at a reference */
	uint64_t proposed;  /* of the work that was asked about last */
	struct buf project; /* owned */
	struct buf how;     /* owned; how it ended, empty while it has not */
	int64_t exit;       /* with how */
};

/* tally_take - count the event @record */
void tally_take(struct tally *tally, const struct record *record);

/* tally_line - count the event in @line; what is no record is none */
void tally_line(struct tally *tally, struct span line);

/* tally_drop - release the memory; good as new afterwards */
void tally_drop(struct tally *tally);

#endif /* CHOCK_LOG_TALLY_H */
