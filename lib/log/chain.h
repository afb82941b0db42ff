/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_CHAIN_H
#define CHOCK_LOG_CHAIN_H

/*
 * chain - a session's log, open to be added to
 *
 * Each line carries the SHA-256 of the one before it; see chock-log(5).
 * Lines gather in memory and go to the file together: who adds acknowledges
 * none of them before chain_commit() has returned.  Several processes may add
 * to one log in turns, if they got it from one that holds its lock; each
 * reads what the others added before it goes on.
 *
 * Invariants
 *   - What is in the file up to at.end is at.count whole lines.
 *   - pending holds the lines behind that, in order; with none the writer's
 *     lock is not held.
 *   - The anchor never speaks of a line that is not on the disk.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/line.h"
#include "base/span.h"
#include "digest/sha256.h"
#include "log/event.h"
#include "log/logfile.h"
#include "log/walk.h"

struct why;

/* The longest record that makes a line that can be read back. */
#define CHAIN_RECORD_MAX (LINE_MAX_LEN - EVENT_HEADER_MAX)

#define CHAIN_CLOSED \
	((struct chain){ .file = { .fd = -1, .dir_fd = -1 }, .anchor_fd = -1 })
#define autochain __attribute__((cleanup(chain_close)))

struct chain {
	struct logfile file;
	int anchor_fd;      /* owned */
	struct buf session; /* owned; the session's id */
	struct walk at;
	struct buf pending;
	uint64_t count; /* lines, with those in pending */
	char head[SHA256_HEX + 1];
	uint64_t anchored; /* what the anchor speaks of */
	bool unsynced;     /* the file has lines that may not be on the disk */
	bool failed;       /* nothing more is added */
};

/*
 * chain_open - go on with the log @file of the session @session
 *
 * @file is moved into @chain, also if this fails.  All of the log is checked,
 * and must agree with its anchor.  A torn last line is moved beside the log,
 * and an event says so; so it does where a log that has lines has no anchor.
 *
 * Returns 0, -EBADMSG if the log was changed or cut, or another -errno.
 */
int chain_open(struct chain *chain, struct logfile *file, struct span session,
	       struct why *why);

/*
 * chain_add - make @event, with a record of at most CHAIN_RECORD_MAX bytes,
 * the next line
 *
 * Then count is its number and head its hash.  Before a line that says that
 * work is applied, all that came before it is anchored.
 *
 * Returns 0 or -errno; after a failure as chain_commit().
 */
int chain_add(struct chain *chain, const struct event *event, struct why *why);

/*
 * chain_commit - write the lines that were added; with @sync to the disk
 *
 * Returns 0 or -errno; after a failure the chain must be finished and
 * closed, and of the lines since the last commit none may be taken for written.
 */
int chain_commit(struct chain *chain, bool sync, struct why *why);

/*
 * chain_finish - put everything, and an anchor of it, on the disk
 *
 * After a failure that is what was committed before it, and no anchor.
 */
int chain_finish(struct chain *chain, struct why *why);

/* chain_close - let go of the log; what was not committed is not in it */
void chain_close(struct chain *chain);

#endif /* CHOCK_LOG_CHAIN_H */
