/* SPDX-License-Identifier: ISC */
#include "digest/sha256.h"

#include <openssl/evp.h>

#include "base/bug.h"

static EVP_MD_CTX *context(void)
{
	static EVP_MD_CTX *ctx;
	static EVP_MD *md;

	if (!ctx) {
		md = EVP_MD_fetch(NULL, "SHA256", NULL);
		ctx = EVP_MD_CTX_new();
	}
	/* A machine without SHA-256, or without memory, must not go on. */
	bug_if(!md || !ctx || !EVP_DigestInit_ex2(ctx, md, NULL));
	return ctx;
}

void sha256_hex_two(char hex[SHA256_HEX + 1], struct span first,
		    struct span second)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[SHA256_HEX / 2];
	EVP_MD_CTX *ctx = context();
	unsigned int i;

	bug_if(!EVP_DigestUpdate(ctx, first.data, first.len) ||
	       !EVP_DigestUpdate(ctx, second.data, second.len) ||
	       !EVP_DigestFinal_ex(ctx, digest, NULL));
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
