/* SPDX-License-Identifier: ISC */
/* The digests are those of FIPS 180-4, whatever was hashed before. */

#include <stdlib.h>
#include <string.h>

#include "digest/sha256.h"
#include "tap.h"

#define MILLION 1000000

/* The published examples: no bytes, one block, two blocks. */
static const char *const examples[][2] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb924"
	      "27ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223"
		 "b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039"
	  "a33ce45964ff2167f6ecedd419db06c1" },
};

static void test_examples(void)
{
	char hex[SHA256_HEX + 1];
	size_t i;

	for (i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		sha256_hex(hex, span_of(examples[i][0]));
		ok(!strcmp(hex, examples[i][1]), examples[i][1]);
	}
}

static void test_million(void)
{
	char hex[SHA256_HEX + 1];
	char *bytes = malloc(MILLION);

	if (!bytes)
		return;
	memset(bytes, 'a', MILLION);
	sha256_hex(hex, (struct span){ bytes, MILLION });
	ok(!strcmp(hex, "cdc76e5c9914fb9281a1c7e284d73e67"
			"f1809a48a497200e046d39ccc7112cd0"),
	   "a million times \"a\"");
	free(bytes);
}

static void test_two(void)
{
	char two[SHA256_HEX + 1];
	char one[SHA256_HEX + 1];

	sha256_hex(one, span_of("abc"));
	sha256_hex_two(two, span_of("ab"), span_of("c"));
	ok(!strcmp(one, two), "two parts are hashed as one");
	sha256_hex_two(two, span_of(NULL), span_of("abc"));
	ok(!strcmp(one, two), "and either may be empty");
	sha256_hex(two, span_of("abd"));
	ok(strcmp(one, two) != 0, "another byte is another digest");
	sha256_hex(two, (struct span){ "abc\0", 4 });
	ok(strcmp(one, two) != 0, "a NUL at the end counts");
}

int main(void)
{
	test_examples();
	test_million();
	test_two();
	return tap_end();
}
