/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_EFFECT_H
#define CHOCK_WORKSPACE_EFFECT_H

/*
 * effect - what a session's commits would do, found out from the objects
 *
 * A pack from a sandbox is unpacked into the quarantine by `index-pack
 * --strict`, which checks each object and its links, and never completes a
 * pack that leans on objects it does not bring.  Everything else is then read
 * from these objects: nothing that the sandbox said about them counts.
 *
 * Invariants
 *   - to is a commit that descends from from, and all that it needs is in
 *     the quarantine or in the project.
 *   - tree is the tree of to.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "workspace/names.h"
#include "workspace/space.h"

struct why;

#define EFFECT_PACK_MAX ((uint64_t)1 << 30) /* bytes, unless told otherwise */

/* All files that change, unpacked; more would fill the disk at landing. */
#define EFFECT_FILES_MAX ((uint64_t)4 << 30) /* bytes */

#define autoeffect __attribute__((cleanup(effect_drop)))

enum effect_mode {
	EFFECT_NOTHING, /* it is not there */
	EFFECT_FILE,
	EFFECT_EXECUTABLE,
	EFFECT_LINK,
	EFFECT_MODULE,
};

/* Why a change is one of what runs later on the host, what runs by itself
 * first; workspace/protect.h. */
enum protect_reason {
	PROTECT_NONE,
	PROTECT_NAMED,   /* by a rule; whoever reads policies says so */
	PROTECT_REACHED, /* a link leads to it from such a name */
	PROTECT_GIT,     /* the project's own git leads to it */
	PROTECT_REPOSITORY,
	PROTECT_DRIVERS,
	PROTECT_LINK,
	PROTECT_EXECUTABLE,
	PROTECT_REASONS,
};

struct effect_change {
	char status;           /* A, M, D, or T for another kind of file */
	enum effect_mode was;  /* before */
	enum effect_mode mode; /* afterwards */
	enum protect_reason protect; /* PROTECT_NONE until somebody looks */
	bool policy;      /* a policy file, as whoever reads those says */
	const char *path; /* into raw */
	const char *blob; /* id of what is new, into raw; NULL: gone */
	uint64_t size;    /* of blob, in bytes */
};

struct effect {
	struct buf to;
	struct buf from; /* empty: the branch has no commit yet */
	struct buf tree;
	size_t commits;
	struct effect_change *changes; /* owned */
	size_t change_count;
	struct buf raw;      /* what git said the changes are */
	size_t modules;      /* how many are of submodules */
	struct buf filtered; /* the first path that has a filter */
	struct buf driven;   /* the first that has a merge driver */
	struct buf
		converted; /* the first that git would write other bytes to */
	const char *conversion; /* what it has, then */
};

/*
 * effect_receive - unpack the session's pack file into the quarantine
 *
 * With @partial, from a partial clone, its trees may have objects that are not
 * there, as those of the project have: what the work itself brings is looked
 * for by effect_find().
 *
 * Returns 0, -EBADMSG if there is anything wrong with the pack or an object
 * in it, or another -errno.
 */
int effect_receive(const struct space *space, bool partial, struct why *why);

/*
 * effect_find - what landing the commit @to would do
 *
 * Returns 0, -EBADMSG if @to is not a commit that follows from where the
 * session began or lacks an object, -EFBIG if it brings more than the limits
 * allow, or another -errno.
 */
int effect_find(struct effect *effect, const struct space *space,
		struct span to, struct why *why);

/*
 * effect_compare - the tree of to, and what it changes; from and to are set
 *
 * Returns 0, -EBADMSG if to is no commit, -EFBIG, or another -errno.
 */
int effect_compare(struct effect *effect, const struct space *space,
		   struct why *why);

/* effect_attributes - for effect_compare() alone: set filtered, driven and
 * converted */
int effect_attributes(struct effect *effect, const struct space *space,
		      struct why *why);

/* effect_refuse - the same: say that the work is refused, and git's reason;
 * returns -EBADMSG */
int effect_refuse(struct why *why, const struct git *git, const char *what);

/* effect_is_module - whether it is of a submodule, before or after */
bool effect_is_module(const struct effect_change *change);

/* effect_subjects - the first lines of its newest @max commits, oldest first,
 * each behind its id and a blank */
int effect_subjects(const struct effect *effect, const struct space *space,
		    size_t max, struct names *lines, struct why *why);

/* effect_drop - release the memory; good as new afterwards */
void effect_drop(struct effect *effect);

#endif /* CHOCK_WORKSPACE_EFFECT_H */
