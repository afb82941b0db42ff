/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICYFILE_TRUSTSTORE_H
#define CHOCK_POLICYFILE_TRUSTSTORE_H

/*
 * truststore - the records of trust, written, listed and taken back
 *
 * What only looks (policyfile/trust) needs no hash and is linked into every
 * program that reads policies; this is for chock-trust.
 *
 * Invariants
 *   - A record is there whole or not at all, and on the disk when a function
 *     returns.
 *   - Directories have mode 0700 and records 0600.
 */

#include "policyfile/trust.h"

/*
 * truststore_hash - put the SHA-256 of each of @trust's files into it
 *
 * @digest gets that of the list of them: a line for each, in the order of
 * the names' bytes, with the hash, two blanks and the name, as sha256sum(1)
 * prints it.  So one number stands for all of the files.
 */
void truststore_hash(struct trust *trust, char digest[TRUST_HEX + 1]);

/*
 * truststore_save - make @trust, which is hashed, the record of its project
 *
 * Returns 0, -EFBIG if the files have more than TRUST_BYTES_MAX bytes,
 * -EACCES if others can write the store, or another -errno.
 */
int truststore_save(const struct trust *trust, struct why *why);

/*
 * truststore_remove - take back what was said about the project @project
 *
 * Returns 1, 0 if nothing had been said, or -errno.
 */
int truststore_remove(const char *project, struct why *why);

/*
 * truststore_each - call @each for every record, in no order
 *
 * A damaged one is handed over with its path as the project and an empty
 * date.  Returns 0 or -errno.
 */
int truststore_each(void (*each)(void *context, const struct trust *trust),
		    void *context, struct why *why);

#endif /* CHOCK_POLICYFILE_TRUSTSTORE_H */
