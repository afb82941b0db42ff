/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_OFFERED_H
#define CHOCK_WORKSPACE_OFFERED_H

/*
 * offered - what the last question about a workspace was about
 *
 * Whoever looks at a diff while a question waits must see the objects that the
 * answer is about.  A copy that is asked again can answer otherwise, so that
 * what came out is noted beside the quarantine that holds it.
 */

#include "base/buf.h"
#include "workspace/also.h"
#include "workspace/names.h"
#include "workspace/space.h"

struct why;

#define autooffered __attribute__((cleanup(offered_drop)))

struct offered {
	bool found;        /* there was a question */
	struct buf to;     /* the work's commit; empty: there was no work */
	struct names ids;  /* the object of each other branch or tag */
	struct names refs; /* its name, from heads/ or tags/ on */
};

/* offered_forget - have no note, before the quarantine changes; 0 or -errno */
int offered_forget(const struct space *space, struct why *why);

/* offered_note - note what is in the quarantine now; 0 or -errno */
int offered_note(const struct space *space, struct span to,
		 const struct also *also, struct why *why);

/* offered_read - read the note, if there is one; 0 or -errno */
int offered_read(struct offered *asked, const struct space *space,
		 struct why *why);

/* offered_drop - release the memory; good as new afterwards */
void offered_drop(struct offered *asked);

#endif /* CHOCK_WORKSPACE_OFFERED_H */
