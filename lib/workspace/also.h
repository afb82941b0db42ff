/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_ALSO_H
#define CHOCK_WORKSPACE_ALSO_H

/*
 * also - branches and tags of a session beside the one that comes back
 *
 * They land nowhere: after a yes each is kept at a reference of its own, so
 * that no work is in a workspace alone.  They cross as the work itself does, by
 * a pack that is written in a sandbox and checked in the quarantine, but by one
 * of their own, so that a branch that is damaged is in no other's way.
 *
 * Invariants
 *   - ids, refs and subjects belong together, item by item.
 *   - digest is of what a person is shown, and is in the question: no other
 *     list is kept after the answer.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "digest/sha256.h"
#include "workspace/inside.h"
#include "workspace/look.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

/* Behind it the session's id, and heads/ or tags/. */
#define ALSO_PARKED "refs/chock-also/"

/* Each is looked through by itself before the question. */
#define ALSO_MAX 64
#define ALSO_ROWS_MAX ((size_t)8) /* of a terminal, in a question */

/* In the workspace: all that they bring. */
#define ALSO_PACK "also.pack"

struct also {
	struct names ids;      /* the object of each */
	struct names refs;     /* its name, from heads/ or tags/ on */
	struct names subjects; /* of its commit */
	bool news; /* one of them has what the branch that comes back has not */
	char digest[SHA256_HEX + 1];
	struct names kept; /* by also_keep(): the references, from refs/ on */
	struct names left; /* and of the others the names, from heads/ on */
	struct buf reason; /* why what moved, or what is left, is not kept */
};

/* also_list - an "ID NAME" line for each, put behind @list */
void also_list(struct buf *list, const struct also *also);

/* also_unlist - what also_list() wrote, put behind @ids and @refs */
void also_unlist(struct names *ids, struct names *refs, struct span list);

/*
 * also_find - bring out what @look says has moved, into the quarantine
 *
 * What cannot be kept stays in the copy, and the reason says why: nothing else
 * of a question depends on it.
 */
void also_find(struct also *also, const struct inside *inside,
	       const struct look *look, uint64_t pack_max);

/*
 * also_read - those that the question was about, whose digest was @digest
 *
 * Returns 0, -EBADMSG if there are others by now, or another -errno.
 */
int also_read(struct also *also, const struct space *space, const char *digest,
	      struct why *why);

/*
 * also_keep - put them into the project, at references of their own
 *
 * One that is there already must name the same, or what this one follows from.
 * One that holds other work, or that git cannot have beside another, is left,
 * and the others are kept: the fields kept, left and reason say which and why.
 *
 * Returns 0, also if some are left, or -errno; then all are.
 */
int also_keep(struct also *also, const struct space *space,
	      const struct project *project, struct why *why);

/* also_show - put a line for each behind @detail, if there are any, as long as
 * the rows last, and how many have none */
void also_show(const struct also *also, const struct space *space,
	       struct buf *detail);

/* also_print - the same for programs, as fields of a question's effect */
void also_print(const struct also *also, struct buf *record);

/* also_drop - release the memory; good as new afterwards */
void also_drop(struct also *also);

#endif /* CHOCK_WORKSPACE_ALSO_H */
