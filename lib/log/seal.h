/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_SEAL_H
#define CHOCK_LOG_SEAL_H

/*
 * seal - what a signature of a log is over
 *
 * One JSON line in a file of its own beside the log: of which session it is,
 * how many lines the log had, the hash of the last of them, and when that was
 * said.  The bytes of this file are what is signed, so that anybody can check
 * them by ssh-keygen(1).
 *
 * Invariants
 *   - An all-zero struct is no seal.
 *   - There is one way to spell a seal: one that was read is, byte for byte,
 *     one that was written.
 */

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "digest/sha256.h"
#include "log/stamp.h"

struct why;

#define SEAL_MAX ((size_t)4096) /* bytes of the file */

#define autoseal __attribute__((cleanup(seal_drop)))

struct seal {
	struct buf session; /* owned */
	uint64_t count;
	char head[SHA256_HEX + 1];
	char time[STAMP_LEN + 1];
};

/* seal_put - @seal as its file has it, put behind @text */
void seal_put(struct buf *text, const struct seal *seal);

/*
 * seal_read - the seal that @text, all of its file, spells
 *
 * @seal must be empty.  Returns 0, or -EBADMSG if it spells none.
 */
int seal_read(struct seal *seal, struct span text, struct why *why);

/* seal_drop - release the memory; good as new afterwards */
void seal_drop(struct seal *seal);

#endif /* CHOCK_LOG_SEAL_H */
