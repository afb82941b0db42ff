/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_WALK_H
#define CHOCK_LOG_WALK_H

/*
 * walk - a log read from its first line to its last, each held to its chain
 *
 * A walk holds one line at a time, however long the log is.  It knows three
 * ends: the end of the file, a last line that is torn (it has no newline, or
 * is not JSON: the writer or the machine died), and a line that does not
 * follow from the one before it, which no writer of ours leaves behind.
 *
 * Invariants
 *   - count lines hold; they end at offset end, and head is the hash of the
 *     last of them (for none, the hash of the session's id).
 *   - start and before are what end and head were before that line.
 *   - A mark that is met agrees with the line that it names.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/line.h"
#include "base/span.h"
#include "digest/sha256.h"
#include "record/record.h"

struct why;

#define autowalk __attribute__((cleanup(walk_drop)))

/* What something beside the log says of one line of it. */
struct walk_mark {
	const char *by; /* who says so, for messages; NULL: there is none */
	uint64_t count; /* the line's number */
	char head[SHA256_HEX + 1];
	bool met; /* the line is there, and it fits */
};

struct walk {
	struct lines lines;
	struct walk_mark anchor;
	struct walk_mark seal;
	uint64_t count;
	uint64_t end;
	uint64_t start;
	char head[SHA256_HEX + 1];
	char before[SHA256_HEX + 1];
	bool torn; /* what is behind end is no whole line */
};

/*
 * walk_init - walk the log of @session in @fd, which stands at its start
 *
 * @fd is borrowed.
 */
void walk_init(struct walk *walk, int fd, struct span session);

/*
 * walk_expect - hold the walk, which has not begun, to @mark, its anchor or its
 * seal: line @count, counted from 1, has the hash @head
 */
void walk_expect(const struct walk *walk, struct walk_mark *mark,
		 const char *by, uint64_t count, const char *head);

/*
 * walk_next - go to the next line
 *
 * With @record, which must be empty, the line is read as JSON, and @record is
 * valid until the next call.  Without, only what makes the chain is looked
 * at, which is several times faster; see walk_check_last().
 *
 * Returns 1 with a line that holds; 0 at the end or with torn set; -EBADMSG
 * for a line that breaks the chain, the number count + 1; or another -errno.
 */
int walk_next(struct walk *walk, struct record *record, struct why *why);

/*
 * walk_check_last - after the last walk_next(), look at the last line as JSON
 *
 * For walks that did not: a last line that is none is torn, and taken back.
 * Returns 0 or -errno.
 */
int walk_check_last(struct walk *walk, struct why *why);

/* walk_drop - release the memory; the descriptor stays open */
void walk_drop(struct walk *walk);

#endif /* CHOCK_LOG_WALK_H */
