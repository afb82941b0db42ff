/* SPDX-License-Identifier: ISC */
#include "digest/sha1.h"

/* As in digest/sha256. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "base/bug.h"

void sha1_hex(char hex[SHA1_HEX + 1], struct span bytes)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[SHA1_HEX / 2];
	unsigned int i;
	SHA_CTX ctx;

	bug_if(!SHA1_Init(&ctx) || !SHA1_Update(&ctx, bytes.data, bytes.len) ||
	       !SHA1_Final(digest, &ctx));
	for (i = 0; i < sizeof(digest); i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 0x0f];
	}
	hex[SHA1_HEX] = '\0';
}
