/* SPDX-License-Identifier: ISC */
/* The word that was probably meant is found, and nothing far-fetched is. */

#include <string.h>

#include "base/nearest.h"
#include "tap.h"

static size_t distance(const char *a, const char *b)
{
	return nearest_distance(span_of(a), span_of(b));
}

static void test_distance(void)
{
	ok(distance("", "") == 0 && distance("abc", "abc") == 0,
	   "equal words have no distance");
	ok(distance("", "abc") == 3 && distance("abc", "") == 3,
	   "an empty word is as far as the other is long");
	ok(distance("allow", "alow") == 1, "a letter left out is one edit");
	ok(distance("allow", "alllow") == 1, "a letter too many is one edit");
	ok(distance("allow", "ellow") == 1, "another letter is one edit");
	ok(distance("allow", "lalow") == 1, "swapped letters are one edit");
	ok(distance("ca", "abc") == 3,
	   "no letters are swapped across an inserted one");
	ok(distance("kitten", "sitting") == 3, "edits add up");
}

static void test_long(void)
{
	char word[NEAREST_LEN_MAX * 4];
	const char *const words[] = { "allow" };
	struct span longest = { word, NEAREST_LEN_MAX };
	struct span longer = { word, NEAREST_LEN_MAX + 1 };
	struct span hopeless = { word, sizeof(word) };

	memset(word, 'x', sizeof(word));
	ok(nearest_distance(longest, longest) == 0,
	   "words of NEAREST_LEN_MAX are compared");
	ok(nearest_distance(longer, longer) == NEAREST_LEN_MAX,
	   "longer words are not");
	ok(!nearest_word(longer, words, 1) && !nearest_word(hopeless, words, 1),
	   "a word that is too long is like no other");
}

static void test_word(void)
{
	const char *const words[] = { "policy", "read", "write", "road" };

	ok(!strcmp(nearest_word(span_of("polcy"), words, 4), "policy"),
	   "the nearest word is found");
	ok(!strcmp(nearest_word(span_of("rad"), words, 4), "read"),
	   "of words equally near it is the first");
	ok(!strcmp(nearest_word(span_of("raod"), words, 4), "road"),
	   "a nearer word that comes later wins");
	ok(!nearest_word(span_of("wreath"), words, 4) &&
		   !nearest_word(span_of("xy"), words, 4),
	   "a word that needs more edits than a third of it is not meant");
	ok(!nearest_word(span_of("read"), words, 0), "of no words, none is");
}

static void test_clause(void)
{
	const char *const words[] = { "policy", "read" };
	char clause[NEAREST_ROOM];

	ok(!strcmp(nearest_clause(clause, span_of("raed"), words, 2),
		   "; did you mean 'read'?"),
	   "a clause names the nearest word");
	ok(!strcmp(nearest_clause(clause, span_of("xyz"), words, 2), ""),
	   "without one it is empty");
}

int main(void)
{
	test_distance();
	test_long();
	test_word();
	test_clause();
	return tap_end();
}
