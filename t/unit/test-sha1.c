/* SPDX-License-Identifier: ISC */
/* The digests are those of FIPS 180-4, whatever was hashed before. */

#include <string.h>

#include "digest/sha1.h"
#include "tap.h"

/* The published examples: no bytes, one block, two blocks. */
static const char *const examples[][2] = {
	{ "", "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
	{ "abc", "a9993e364706816aba3e25717850c26c9cd0d89d" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
};

int main(void)
{
	char hex[SHA1_HEX + 1];
	size_t i;

	for (i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		sha1_hex(hex, span_of(examples[i][0]));
		ok(!strcmp(hex, examples[i][1]), examples[i][1]);
	}
	sha1_hex(hex, (struct span){ "abc\0", 4 });
	ok(strcmp(hex, examples[1][1]) != 0, "a NUL at the end counts");
	return tap_end();
}
