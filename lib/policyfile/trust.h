/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICYFILE_TRUST_H
#define CHOCK_POLICYFILE_TRUST_H

/*
 * trust - what a person said about the policy of a project
 *
 * A project's chock.policy is a stranger's until a person has seen it and
 * said yes.  What was seen is kept, as bytes, in a record in the person's own
 * data directory under the project's real path.  A policy is trusted if it
 * and every file beside it that it includes are those bytes, in place of
 * links: whatever else is the case narrows only.  Shipped policies that it
 * includes are as trusted as chock itself and are no part of the comparison.
 *
 * Nothing is hashed, so that a program without a hash can look; the hashes in
 * a record are for people and are written by truststore.
 *
 * Invariants
 *   - An all-zero struct knows nothing.
 *   - The names of files are below the project: "chock.policy" is the first.
 *   - A record that others could have written, or that is damaged, is an
 *     error and never a yes or a no.
 */

#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

struct why;

#define TRUST_POLICY "chock.policy"       /* in a project's root */
#define TRUST_BYTES_MAX ((size_t)4 << 20) /* of all files of one record */
#define TRUST_DATE_LEN 24                 /* as log/stamp has it */
#define TRUST_CHUNK 200                   /* bytes of a name in the store */
#define TRUST_HEADER "chock-trust 1\n"    /* what a record starts with */
#define TRUST_LEAF "=trusted"             /* what the name of one ends with */
#define TRUST_HEX 64                      /* digits of a SHA-256 */

#define autotrust __attribute__((cleanup(trust_drop)))

struct trusted_file {
	char *name; /* owned; below the project */
	struct buf bytes;
	char sha256[TRUST_HEX + 1];
};

struct trust {
	char *project; /* owned; its real path */
	char date[TRUST_DATE_LEN + 1];
	struct trusted_file *files; /* owned */
	size_t count;
};

/* trust_store_path - where all records are, put behind @path; 0 or -ENOENT */
int trust_store_path(struct buf *path, struct why *why);

/* trust_name - the name of @project's record in the store, put behind @name */
void trust_name(struct buf *name, const char *project);

/*
 * trust_read - the record that is @bytes
 *
 * @path is what messages call it.  Returns 0, or -EBADMSG.
 */
int trust_read(struct trust *trust, struct span bytes, const char *path,
	       struct why *why);

/*
 * trust_load - the record of the project whose real path is @project
 *
 * Returns 1, 0 if there is none, -EACCES if others could have written it,
 * -EBADMSG if it is damaged, or another -errno.
 */
int trust_load(struct trust *trust, const char *project, struct why *why);

/*
 * trust_fetch - the file @name below the directory @project_fd, as it is now
 *
 * No symbolic link is followed, also none above the file.  Returns 0,
 * -ENOENT, -ELOOP for a link, or another -errno.
 */
int trust_fetch(struct buf *bytes, int project_fd, const char *name,
		struct why *why);

/*
 * trust_compare - whether the files of @trust are what @project_fd has
 *
 * What was read, and is the same, is put into @now, whose names are those of
 * @trust.  Returns 1 if all are, or 0.
 */
int trust_compare(struct trust *now, const struct trust *trust, int project_fd);

/* trust_add - make a copy of @bytes the last file of @trust */
void trust_add(struct trust *trust, const char *name, struct span bytes);

/* trust_drop - release it; good as new afterwards */
void trust_drop(struct trust *trust);

#endif /* CHOCK_POLICYFILE_TRUST_H */
