/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_JOURNAL_H
#define CHOCK_COW_JOURNAL_H

/*
 * journal - what a commit does, written down before the first thing is done
 *
 * Text, a line each, single blanks between words:
 *
 *	chock-cow 1 SECONDS NANOSECONDS
 *	swap STATE NEW-INODE NEW-MODE OLD-INODE OLD-MODE OLD-SIZE
 *	     OLD-SECONDS OLD-NANOSECONDS PATH
 *	mode STATE NEW-MODE OLD-INODE OLD-MODE PATH
 *	end COUNT
 *
 * The first line has the time at which the run began, by the clock of the
 * file system.  A swap puts what is staged in the place of what stands at
 * PATH, an inode of 0 being nothing; old and new may each be a whole tree.  A
 * mode changes that of a directory that stays.  STATE is "clean", or
 * "changed" for what was changed from outside during the run.  In PATH, which
 * is relative, each byte that is no printable ASCII, and '%', is %XX.  The
 * order is that of the bytes of the paths.
 *
 * A journal lies in a directory that the run's own programs can write to
 * later, and is read with that in mind.
 *
 * Invariants
 *   - No path of a journal that was read leads out of its directory or into
 *     COW_DIR, and none is in what another one swaps.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/span.h"

struct buf;
struct why;

/* chock's own name at the top of a directory: stage and journal are in it. */
#define COW_DIR ".chock-cow"

#define JOURNAL_OPS_MAX ((size_t)1 << 20) /* as many as a quota of 4 GiB has */

#define autojournal __attribute__((cleanup(journal_drop)))

enum journal_kind { JOURNAL_SWAP, JOURNAL_MODE };

/* What was there before, to be known again; all zero: nothing. */
struct journal_old {
	uint64_t ino;
	mode_t mode; /* with the type */
	uint64_t size;
	struct timespec mtime;
};

struct journal_op {
	enum journal_kind kind;
	bool changed;     /* underneath, during the run */
	uint64_t new_ino; /* of what is staged; 0: nothing */
	mode_t new_mode;  /* with the type */
	struct journal_old old;
	char *path; /* owned; relative */
};

struct journal {
	struct timespec since;
	struct journal_op *ops; /* owned */
	size_t count;
};

/* journal_old_of - how @st is known again */
struct journal_old journal_old_of(const struct stat *st);

/*
 * journal_add - put @op, whose path becomes the journal's own, behind the rest
 *
 * Returns 0, or -E2BIG if there are JOURNAL_OPS_MAX already.
 */
int journal_add(struct journal *journal, const struct journal_op *op);

/* journal_print - the journal as text, put behind @text */
void journal_print(struct buf *text, const struct journal *journal);

/*
 * journal_read - read it from @fd, from where that stands
 *
 * Returns 0, -EBADMSG with the line and what is wrong there, or another
 * -errno; @journal is to be dropped in any case.
 */
int journal_read(struct journal *journal, int fd, struct why *why);

/* journal_drop - release it; good as new afterwards */
void journal_drop(struct journal *journal);

#endif /* CHOCK_COW_JOURNAL_H */
