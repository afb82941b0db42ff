/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_INSIDE_H
#define CHOCK_WORKSPACE_INSIDE_H

/*
 * inside - git, run on the copy in a sandbox
 *
 * The copy's repository was the sandboxed program's to write: hooks, filters
 * and settings in it are hostile, so nothing outside opens it.  Commands that
 * have to read it run under chock-spawn, with the shipped base policy and no
 * network, and what they print is a claim and no more: bounded in size and
 * time, and checked by whoever uses it.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

#define INSIDE_SECONDS 600 /* one command's time, unless told otherwise */
#define INSIDE_SECONDS_MAX 86400

/* Lists of files or references that a sandbox prints. */
#define INSIDE_LIST_MAX ((size_t)16 << 20) /* bytes */

struct inside {
	const struct space *space;     /* borrowed */
	const struct project *project; /* borrowed */
	uint64_t seconds;
};

/* Where output goes: into a buffer, or to a descriptor. */
struct sink {
	struct buf *buf; /* borrowed; NULL: to fd */
	int fd;          /* borrowed */
	uint64_t max;    /* bytes */
};

/*
 * inside_git - run git with @args, NULL at the end, in the copy
 *
 * Returns git's exit status; -EFBIG if it printed more than the sink takes,
 * -ETIMEDOUT if it took longer than it may, or another -errno if there was
 * no sandbox.
 */
int inside_git(const struct inside *inside, const char *const *args,
	       struct span input, const struct sink *sink, struct why *why);

/*
 * inside_tip - the commit that the copy claims to be at
 *
 * That is its branch of the project's branch's name, or its HEAD if the
 * project has none.  @id stays empty if there is no commit yet.
 *
 * Returns 0, -EBADMSG if the answer is no commit, or another -errno.
 */
int inside_tip(const struct inside *inside, struct buf *id, struct why *why);

/* inside_uncommitted - how many files of the copy are in no commit */
int inside_uncommitted(const struct inside *inside, size_t *count,
		       struct why *why);

/*
 * inside_others - references of the copy that are new or moved, but for the
 * one that inside_tip() is about
 */
int inside_others(const struct inside *inside, struct names *others,
		  struct why *why);

/*
 * inside_pack - the objects that @to needs beyond @from, as a pack
 *
 * Written to the session's pack file, at most @max bytes of it.
 */
int inside_pack(const struct inside *inside, struct span to, struct span from,
		uint64_t max, struct why *why);

#endif /* CHOCK_WORKSPACE_INSIDE_H */
