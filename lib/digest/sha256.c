/* SPDX-License-Identifier: ISC */
#include "digest/sha256.h"

/*
 * The functions that OpenSSL calls deprecated: those that it wants in their
 * place bring its providers, their settings and two milliseconds with them
 * (doc/decisions/0010-one-digest-linked-statically).
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "base/bug.h"

void sha256_hex_two(char hex[SHA256_HEX + 1], struct span first,
		    struct span second)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[SHA256_HEX / 2];
	SHA256_CTX ctx;
	unsigned int i;

	bug_if(!SHA256_Init(&ctx) ||
	       !SHA256_Update(&ctx, first.data, first.len) ||
	       !SHA256_Update(&ctx, second.data, second.len) ||
	       !SHA256_Final(digest, &ctx));
	for (i = 0; i < sizeof(digest); i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 0x0f];
	}
	hex[SHA256_HEX] = '\0';
}

void sha256_hex(char hex[SHA256_HEX + 1], struct span bytes)
{
	sha256_hex_two(hex, bytes, (struct span){ NULL, 0 });
}
