/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_LEFTOVER_H
#define CHOCK_WORKSPACE_LEFTOVER_H

/*
 * leftover - what the files of a copy have that is in no commit, as objects
 *
 * A git in a sandbox looks at the files by a repository that is made for it
 * there: with an index of ours in which no file has been looked at yet, with
 * none of the copy's configuration, and with attributes by which no filter, no
 * encoding and no driver has a say.  Nothing of the session's runs.  What
 * differs comes out as objects, and is compared outside.
 *
 * Of a copy over others' files only those are looked at that are in its layer,
 * or that its commits changed.
 */

#include "base/buf.h"
#include "workspace/inside.h"
#include "workspace/names.h"

struct why;

#define LEFTOVER_MAX ((uint64_t)BUF_MAX) /* bytes of objects and of names */

/* Of the places at which alone files may differ; more are not told. */
#define LEFTOVER_PLACES_MAX ((size_t)64 << 10) /* bytes */

/* Attributes that outrank those of any file: only line ends may differ. */
#define LEFTOVER_ATTRIBUTES \
	"* !filter !ident !working-tree-encoding !diff !merge !whitespace\n"

/*
 * leftover_find - put the files of the copy into the quarantine of the space of
 * @inside, and into the index @index, which is one of the commit or tree @base
 *
 * Files that came along and are as they were stay as in @base, as do those in
 * @odd: where a file was, and now a FIFO, socket or device is.
 *
 * Returns 0 or -errno.
 */
int leftover_find(struct names *odd, const struct inside *inside,
		  const char *index, const char *base, struct why *why);

#endif /* CHOCK_WORKSPACE_LEFTOVER_H */
