/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICYFILE_READER_H
#define CHOCK_POLICYFILE_READER_H

/*
 * reader - how the files of one policy are opened, and what is kept of them
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

struct reader {
	struct policyfiles *files; /* borrowed; what was read is put there */
	enum policy_layer layer;
	int (*read)(const struct reader *reader, struct buf *bytes,
		    const char *name, struct why *why);
	const char *project; /* borrowed; for reader_beneath */
	int project_fd;      /* borrowed; the same, opened */
};

/* Ways to read a file that is no shipped one: any, and those above. */
int reader_any(const struct reader *reader, struct buf *bytes, const char *name,
	       struct why *why);
int reader_guarded(const struct reader *reader, struct buf *bytes,
		   const char *name, struct why *why);
int reader_beneath(const struct reader *reader, struct buf *bytes,
		   const char *name, struct why *why);
int reader_kept(const struct reader *reader, struct buf *bytes,
		const char *name, struct why *why);

/* reader_keep - put @bytes, read under @name, with the reader's files */
void reader_keep(const struct reader *reader, const char *name,
		 struct span bytes);

/*
 * reader_add - read the policy @name and all that it includes into @policy
 *
 * Returns 0, -ENOENT or -ENOTDIR if @name itself is not there, -EINVAL with
 * "FILE:LINE:COLUMN: ..." in @why, or another -errno.
 */
int reader_add(const struct reader *reader, struct policy *policy,
	       const char *name, struct why *why);

#endif /* CHOCK_POLICYFILE_READER_H */
