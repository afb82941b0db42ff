/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_DIGEST_SHA1_H
#define CHOCK_DIGEST_SHA1_H

/*
 * sha1 - the SHA-1 of some bytes, as hexadecimal digits
 *
 * FIPS 180-4, by OpenSSL.  It tells whether a file of git is whole, and no
 * more than that: who wants two files with one digest can make them.
 */

#include "base/span.h"

#define SHA1_HEX 40

/* sha1_hex - put the digest of @bytes into @hex, NUL-terminated */
void sha1_hex(char hex[SHA1_HEX + 1], struct span bytes);

#endif /* CHOCK_DIGEST_SHA1_H */
