/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_CHANGESET_H
#define CHOCK_WORKSPACE_CHANGESET_H

/*
 * changeset - what an overlay's session comes to, and what is in the way of it
 *
 * The tree is a digest over every line of it, with mode, time and content of
 * what is new, and binds an answer to what was shown.
 */

#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "digest/sha256.h"
#include "workspace/effect.h"
#include "workspace/names.h"
#include "workspace/overlay.h"

struct cow;
struct list_line;
struct why;

/* How much of the files is spelt out, as in workspace/proposal.h. */
#define CHANGESET_SHOWN_MAX ((size_t)128 << 10) /* bytes */
#define CHANGESET_NAMED_MAX \
	5 /* of what was changed underneath, in a sentence */

#define CHANGESET_BEYOND_MAX 400 /* bytes of what no path can name */

#define autochangeset __attribute__((cleanup(changeset_drop)))

struct changeset_file {
	char status;                 /* A, M or D */
	char *path;                  /* owned */
	char *link;                  /* owned; the text of one, or NULL */
	enum effect_mode mode;       /* afterwards */
	bool widens;                 /* others may do more with it then */
	mode_t before, after;        /* if so: its permission bits */
	enum protect_reason protect; /* as its content tells */
};

struct changeset {
	struct changeset_file *files; /* owned, in the order of their paths */
	size_t count;
	size_t added, changed, removed;
	struct names stale; /* changed underneath */
	struct names left;  /* what does not land: "PATH: a FIFO" */
	struct buf beyond;  /* the first line of it that is longer than a path,
			     * or deeper than can be gone to */
	char tree[SHA256_HEX + 1];
	struct buf obstacle; /* why nothing can land; empty: it can */
	bool final;          /* and that it stays so, whatever is done */
};

/*
 * changeset_find - hold the layer of @overlay against its directory, @cow
 *
 * Returns 0 or -errno.
 */
int changeset_find(struct changeset *changeset, const struct overlay *overlay,
		   const struct cow *cow, struct why *why);

/* changeset_look - see what the new file of @line is, in @file; 0 or -errno */
int changeset_look(struct changeset_file *file, const struct list_line *line);

/*
 * changeset_protect - mark what becomes executable, and links that lead out
 *
 * What cannot be told counts as one.  changeset_find() calls it.
 */
void changeset_protect(struct changeset *changeset, const struct cow *cow,
		       int upper_fd);

/*
 * changeset_effect - make @effect, in which nothing is, one with the same
 * changes
 *
 * Their paths are those of @changeset, and live as long as that.
 */
void changeset_effect(struct effect *effect, const struct changeset *changeset);

/* changeset_line - put "M PATH" behind @text, as a person reads it, with the
 * bits of a mode that widens before the path */
void changeset_line(struct buf *text, const struct changeset_file *file);

/* changeset_print - the question as a record, put behind @record */
void changeset_print(struct buf *record, const struct changeset *changeset,
		     const struct overlay *overlay);

/* changeset_drop - release the memory; good as new afterwards */
void changeset_drop(struct changeset *changeset);

#endif /* CHOCK_WORKSPACE_CHANGESET_H */
