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
 * time, and checked by whoever uses it.  That policy may grant what the
 * session's did not, so that nothing that the copy's settings name is run:
 * its filters and hooks are off, and no protocol is allowed.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "workspace/names.h"
#include "workspace/project.h"
#include "workspace/space.h"

struct why;

#define INSIDE_SECONDS 600 /* a command's time, unless told otherwise */
#define INSIDE_SECONDS_MAX 86400

/* Lists of files or references that a sandbox prints. */
#define INSIDE_LIST_MAX ((size_t)16 << 20) /* bytes */

struct inside {
	const struct space *space;     /* borrowed */
	const struct project *project; /* borrowed */
	uint64_t seconds;
};

/* Where output goes: into a buffer, or to a function. */
struct sink {
	struct buf *buf;                              /* borrowed */
	int (*put)(void *context, struct span bytes); /* NULL: into buf */
	void *context;                                /* borrowed */
	uint64_t max;                                 /* bytes */
};

/*
 * inside_run - run the command @words in the copy
 *
 * Returns its exit status; -EBADMSG if git would wait in the copy, see
 * workspace/fifos.h; -EFBIG if it printed more than the sink takes,
 * -ETIMEDOUT if it took longer than it may, or another -errno if there was
 * no sandbox.
 */
int inside_run(const struct inside *inside, struct names *words,
	       struct span input, const struct sink *sink, struct why *why);

/* inside_git_words - the words of a git that looks at the copy in there */
void inside_git_words(struct names *words, const struct inside *inside);

/* inside_git - inside_run() of such a git with @args, NULL at the end */
int inside_git(const struct inside *inside, const char *const *args,
	       struct span input, const struct sink *sink, struct why *why);

#endif /* CHOCK_WORKSPACE_INSIDE_H */
