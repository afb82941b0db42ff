/* SPDX-License-Identifier: ISC */
/* glob: both ways of matching match what the words of glob.h say, and none
 * takes long */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/span.h"
#include "policy/glob.h"
#include "tap.h"

#ifdef CHOCK_SANITIZED
#define SLOWER 10
#else
#define SLOWER 1
#endif

#define ROUNDS 200000
#define TEXT 12 /* bytes of a text that everything is tried with */
#define WORD_BITS 64
#define LONG 320
#define PATH_LEN 4096
#define CPU_MAX_MS (10 * SLOWER) /* for what took minutes */
#define SLOW_PATTERNS 64

static unsigned int draw(unsigned int below)
{
	static unsigned int state = 815;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static void draw_text(char *text, const char *letters, unsigned int most)
{
	unsigned int len = draw(most);
	unsigned int count = (unsigned int)strlen(letters);

	text[len] = '\0';
	while (len)
		text[--len] = letters[draw(count)];
}

/* By trying everything. */
static bool plain(const char *pattern, const char *start, const char *path)
{
	bool two = pattern[0] == '*' && pattern[1] == '*';
	bool whole = two && pattern[2] == '/' &&
		     (pattern == start || pattern[-1] == '/');
	size_t i;

	if (!*pattern)
		return !*path;
	if (*pattern != '*')
		return *path == *pattern && plain(pattern + 1, start, path + 1);
	for (i = 0;; i++) {
		if ((!whole || !i || path[i - 1] == '/') &&
		    plain(pattern + (whole ? 3
				     : two ? 2
					   : 1),
			  start, path + i))
			return true;
		if (!path[i] || (!two && path[i] == '/'))
			return false;
	}
}

/* Both ways, of @pattern against what is behind @from bytes of @path. */
static bool both(const char *pattern, const char *path, size_t from, bool want)
{
	struct glob_path glob = { .path = span_of(path) };
	bool right;

	right = glob_fits(span_of(pattern), &glob, from) == want &&
		glob_fits_bounded(span_of(pattern), &glob, from) == want;
	/* And once more, with what the first time left behind. */
	right = right &&
		glob_fits_bounded(span_of(pattern), &glob, from) == want;
	glob_drop(&glob);
	if (!right)
		printf("# '%s' '%s' from %zu: not %d\n", pattern, path, from,
		       want);
	return right;
}

/* A word of places ends in each of the paths somewhere. */
static void drawn(void)
{
	char path[WORD_BITS * 2 + TEXT];
	bool right = true;
	int i, matches = 0;

	for (i = 0; right && i < ROUNDS; i++) {
		size_t from = draw(3) * WORD_BITS;
		char pattern[TEXT];
		bool want;

		from -= from ? draw(TEXT) : 0;
		memset(path, "a/"[i % 2], from);
		draw_text(pattern, "ab/***", TEXT);
		draw_text(path + from, "aab/", TEXT);
		want = plain(pattern, pattern, path + from);
		matches += want;
		right = both(pattern, path, from, want);
	}
	ok(right && matches > ROUNDS / 20 && matches < ROUNDS,
	   "matches what trying everything matches, both ways");
}

/* Too long for trying everything. */
static void drawn_long(void)
{
	char path[LONG], pattern[LONG / 8];
	bool right = true;
	int i, matches = 0;

	for (i = 0; right && i < ROUNDS / 20; i++) {
		bool fits;

		draw_text(pattern, "ab/*****", sizeof(pattern));
		draw_text(path, "aaab/", sizeof(path));
		fits = glob_match(span_of(pattern), span_of(path));
		matches += fits;
		right = both(pattern, path, 0, fits);
	}
	ok(right && matches > ROUNDS / 2000, "is of one mind about long paths");
}

static void hostile(void)
{
	char path[PATH_LEN + 1], pattern[GLOB_PATTERN_MAX + 1];
	clock_t start = clock();
	bool none = true;
	size_t i;

	memset(path, 'a', PATH_LEN);
	path[PATH_LEN] = '\0';
	for (i = 0; i < GLOB_PATTERN_MAX; i++)
		pattern[i] = "*a*a**a"[i % 7];
	pattern[GLOB_PATTERN_MAX] = '\0';
	pattern[GLOB_PATTERN_MAX - 1] = 'b';
	for (i = 0; i < SLOW_PATTERNS; i++)
		none = none && !glob_match(span_of(pattern), span_of(path)) &&
		       !glob_match(span_of("**a*b"), span_of(path)) &&
		       !glob_match(span_of("**/a*a*a*b"), span_of(path));
	ok(none, "matches nothing that it should not");
	ok((clock() - start) / (CLOCKS_PER_SEC / 1000) < CPU_MAX_MS,
	   "takes no time with patterns that are made to take it");
	pattern[GLOB_PATTERN_MAX - 1] = '*';
	ok(both(pattern, path, 0, true), "matches a pattern of full length");
}

int main(void)
{
	drawn();
	drawn_long();
	hostile();
	return tap_end();
}
