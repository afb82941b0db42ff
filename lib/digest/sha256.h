/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_DIGEST_SHA256_H
#define CHOCK_DIGEST_SHA256_H

/*
 * sha256 - the SHA-256 of some bytes, as hexadecimal digits
 *
 * FIPS 180-4, by OpenSSL.  No file is read and nothing allocated for it, so
 * that it works in a program that has confined itself.
 */

#include "base/span.h"

#define SHA256_HEX 64

/* sha256_hex - put the digest of @bytes into @hex, NUL-terminated */
void sha256_hex(char hex[SHA256_HEX + 1], struct span bytes);

/*
 * sha256_hex_two - the digest of @first and @second, one behind the other
 */
void sha256_hex_two(char hex[SHA256_HEX + 1], struct span first,
		    struct span second);

#endif /* CHOCK_DIGEST_SHA256_H */
