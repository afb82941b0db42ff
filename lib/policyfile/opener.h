/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICYFILE_OPENER_H
#define CHOCK_POLICYFILE_OPENER_H

/*
 * opener - how the files of one policy are opened, and what is kept of them
 *
 * For policyfile alone.  Where a policy stands decides how it and what it
 * includes may be read: any file that was named, one that nobody else can
 * write, one below a project with no link on the way, or none at all, where
 * the bytes were read before.
 *
 * Invariants
 *   - A file is read once for a layer: what was kept is what is judged, what
 *     is hashed and what is listed.
 */

#include "policyfile/policyfile.h"

struct opener {
	struct policyfiles *files; /* borrowed; what was read is put there */
	enum policy_layer layer;
	int (*read)(const struct opener *opener, struct buf *bytes,
		    const char *name, struct why *why);
	const char *project; /* borrowed; for opener_beneath */
	int project_fd;      /* borrowed; the same, opened */
};

/* Ways to read a file that is no shipped one: any, and those above. */
int opener_any(const struct opener *opener, struct buf *bytes, const char *name,
	       struct why *why);
int opener_guarded(const struct opener *opener, struct buf *bytes,
		   const char *name, struct why *why);
int opener_beneath(const struct opener *opener, struct buf *bytes,
		   const char *name, struct why *why);
int opener_kept(const struct opener *opener, struct buf *bytes,
		const char *name, struct why *why);

/* opener_keep - put @bytes, read under @name, with the opener's files */
void opener_keep(const struct opener *opener, const char *name,
		 struct span bytes);

/*
 * opener_add - read the policy @name and all that it includes into @policy
 *
 * Returns 0, -ENOENT or -ENOTDIR if @name itself is not there, -EINVAL with
 * "FILE:LINE:COLUMN: ..." in @why, or another -errno.
 */
int opener_add(const struct opener *opener, struct policy *policy,
	       const char *name, struct why *why);

#endif /* CHOCK_POLICYFILE_OPENER_H */
