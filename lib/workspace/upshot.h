/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_UPSHOT_H
#define CHOCK_WORKSPACE_UPSHOT_H

/*
 * upshot - what an overlay's session comes to, and what is in the way of it
 *
 * The tree is a digest over every line of it, with mode, time and content of
 * what is new, and binds an answer to what was shown.
 */

#include <stddef.h>

#include "base/buf.h"
#include "digest/sha256.h"
#include "workspace/effect.h"
#include "workspace/names.h"
#include "workspace/overlay.h"

struct cow;
struct list_line;
struct why;

/* How much of the files is spelt out, as in workspace/proposal.h. */
#define UPSHOT_SHOWN_MAX ((size_t)128 << 10) /* bytes */
#define UPSHOT_NAMED_MAX 5 /* of what was changed underneath, in a sentence */

#define autoupshot __attribute__((cleanup(upshot_drop)))

struct upshot_file {
	char status;           /* A, M or D */
	char *path;            /* owned */
	char *link;            /* owned; the text of one, or NULL */
	enum effect_mode mode; /* afterwards */
	enum hazard hazard;    /* as its content tells, workspace/hazard.h */
};

struct upshot {
	struct upshot_file *files; /* owned, in the order of their paths */
	size_t count;
	size_t added, changed, removed;
	struct names stale; /* changed underneath */
	struct names left;  /* what does not land: "PATH: a FIFO" */
	char tree[SHA256_HEX + 1];
	struct buf obstacle; /* why nothing can land; empty: it can */
};

/*
 * upshot_find - hold the layer of @overlay against its directory, @cow
 *
 * Returns 0 or -errno.
 */
int upshot_find(struct upshot *upshot, const struct overlay *overlay,
		const struct cow *cow, struct why *why);

/* upshot_look - see what the new file of @line is, in @file; 0 or -errno */
int upshot_look(struct upshot_file *file, const struct list_line *line);

/*
 * upshot_find_hazards - mark what becomes executable, and links that lead out
 *
 * What cannot be told counts as one.  upshot_find() calls it.
 */
void upshot_find_hazards(struct upshot *upshot, const struct cow *cow,
			 int upper_fd);

/*
 * upshot_effect - make @effect, in which nothing is, one with the same changes
 *
 * Their paths are those of @upshot, and live as long as that.
 */
void upshot_effect(struct effect *effect, const struct upshot *upshot);

/* upshot_print - the question as a record, put behind @record */
void upshot_print(struct buf *record, const struct upshot *upshot,
		  const struct overlay *overlay);

/* upshot_drop - release the memory; good as new afterwards */
void upshot_drop(struct upshot *upshot);

#endif /* CHOCK_WORKSPACE_UPSHOT_H */
