/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_CLAIM_H
#define CHOCK_WORKSPACE_CLAIM_H

/*
 * claim - what was printed where a session's copy was asked, taken apart
 *
 * It is two parts of lines, each with an empty line behind it, and then a pack:
 *
 *	the tip, or "-"; the commit of HEAD, or "-"; each reference
 *	each file of git-status(1), with NULs for its newlines; "!": it failed
 *
 * A session can have any bytes printed, in pieces of any size.
 *
 * Invariants
 *   - How the bytes come in pieces makes no difference.
 *   - No more than INSIDE_LIST_MAX of a part is kept, and a byte that says so.
 *   - No more than was told to is written as the pack.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct carried;
struct look;
struct space;
struct why;

enum claim_part { CLAIM_REFS, CLAIM_FILES, CLAIM_PACK };

#define autoclaim __attribute__((cleanup(claim_drop)))

struct claim {
	enum claim_part part;         /* that comes next */
	struct buf lines[CLAIM_PACK]; /* of each part before the pack */
	size_t line;                  /* where the line began that is taken */
	int pack_fd;                  /* borrowed */
	uint64_t left;                /* how much may be written to it */
};

#define CLAIM_NONE ((struct claim){ .pack_fd = -1 })

/*
 * claim_take - take what is printed next; @context is the struct claim
 *
 * Returns 0, -EFBIG if a part is too long, or another -errno of the pack's
 * file.
 */
int claim_take(void *context, struct span bytes);

/* What it is held against. */
struct claim_against {
	const struct space *space;
	struct span refs; /* those that the session began with, a line each */
	const struct carried *carried; /* or CARRIED_NONE */
};

/*
 * claim_read - put what was claimed into @look, which is empty
 *
 * Returns 0, or -EBADMSG if the parts are not there, the tip is no commit's id
 * of the project's kind, or git could not tell the files.
 */
int claim_read(const struct claim *claim, struct look *look,
	       const struct claim_against *against, struct why *why);

/* claim_refuse - say that the copy's repository cannot be read: -EBADMSG */
int claim_refuse(struct why *why);

/* claim_drop - release the memory; good as new afterwards, without a file */
void claim_drop(struct claim *claim);

#endif /* CHOCK_WORKSPACE_CLAIM_H */
