/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_SIGNATURE_H
#define CHOCK_LOG_SIGNATURE_H

/*
 * signature - a text signed, and a signature checked, by ssh-keygen
 *
 * Signatures are those of `ssh-keygen -Y sign` (PROTOCOL.sshsig of OpenSSH) in
 * the namespace SIGNATURE_NAMESPACE, so that keys may be in an agent, on a card
 * or on a FIDO token, and anybody can check what we signed.  ssh-keygen is
 * looked for where programs of the host are (base/place).
 *
 * Invariants
 *   - An all-zero struct is a signature that nobody made.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

struct why;

#define SIGNATURE_NAMESPACE "chock-log"

/* An RSA key of 16384 bits makes some 6000 bytes. */
#define SIGNATURE_MAX ((size_t)16384)

#define autosignature __attribute__((cleanup(signature_drop)))

struct signature {
	struct buf key;    /* owned; such as "ED25519 SHA256:..." */
	struct buf signer; /* owned; as the file of signers has it, or empty */
	bool token;        /* by a key that is on a FIDO token */
};

/*
 * signature_make - sign @text by the key in the file @key
 *
 * That is a private key, or a public one whose private half an agent has.
 * ssh-keygen may ask on the terminal, and says there what is wrong.  The
 * signature is put behind @bytes.
 *
 * Returns 0, -EACCES if ssh-keygen made none, -ENOENT if there is no
 * ssh-keygen, or another -errno.
 */
int signature_make(struct buf *bytes, struct span text, const char *key,
		   struct why *why);

/*
 * signature_check - whether the file @fd has a signature over @text, and whose
 *
 * @fd is borrowed and named to ssh-keygen, which reads it from its start.  With
 * @signers, a file as in ssh-keygen(1), ALLOWED SIGNERS, it must be by a key
 * that is listed there for this namespace.
 *
 * Returns 0, -EBADMSG if it is no such signature, -ENOENT if there is no
 * ssh-keygen, or another -errno.
 */
int signature_check(struct signature *signature, int fd, struct span text,
		    const char *signers, struct why *why);

/* signature_make_key - make a new Ed25519 key in the file @path; 0 or -errno */
int signature_make_key(const char *path, struct why *why);

/* signature_drop - release the memory; good as new afterwards */
void signature_drop(struct signature *signature);

#endif /* CHOCK_LOG_SIGNATURE_H */
