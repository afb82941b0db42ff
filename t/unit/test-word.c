/* SPDX-License-Identifier: ISC */
/* What is advised can be copied, whatever is in it. */

#include <string.h>

#include "base/word.h"
#include "tap.h"

static bool comes(void (*put)(struct buf *, struct span), const char *word,
		  const char *expected)
{
	autobuf struct buf b = { 0 };

	put(&b, span_of(word));
	return !strcmp(buf_str(&b), expected);
}

int main(void)
{
	ok(comes(word_policy, "/usr/a\\b", "/usr/a\\b"),
	   "a policy's word is as it is where it can be");
	ok(comes(word_policy, "/a b", "\"/a b\"") &&
		   comes(word_policy, "#a\\", "\"#a\\\\\"") &&
		   comes(word_policy, "a\"b", "\"a\\\"b\"") &&
		   comes(word_policy, "", "\"\""),
	   "and in quotes where it would be taken apart");
	ok(comes(word_shell, "allow x", "'allow x'") &&
		   comes(word_shell, "it's", "'it'\\''s'"),
	   "a shell's word is in its quotes");
	return tap_end();
}
