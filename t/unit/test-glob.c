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

#define ROUNDS 200000
#define PATH_LEN 4096
#define CPU_MAX_MS 1000 /* for what took minutes */
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

static void drawn(void)
{
	bool fast = true, bounded = true;
	int i, matches = 0;

	for (i = 0; i < ROUNDS; i++) {
		char pattern[12], path[12];
		bool want;

		draw_text(pattern, "ab/***", sizeof(pattern));
		draw_text(path, "aab/", sizeof(path));
		want = plain(pattern, pattern, path);
		matches += want;
		if (glob_match(span_of(pattern), span_of(path)) != want && fast)
			printf("# '%s' '%s' %d\n", pattern, path, want);
		fast = fast &&
		       glob_match(span_of(pattern), span_of(path)) == want;
		bounded = bounded && glob_match_bounded(span_of(pattern),
							span_of(path)) == want;
	}
	ok(fast && matches > ROUNDS / 20 && matches < ROUNDS,
	   "matches what trying everything matches");
	ok(bounded, "and so does the way whose time is bounded");
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
	ok(glob_match_bounded(span_of(pattern), span_of(path)),
	   "matches a pattern of full length");
}

int main(void)
{
	drawn();
	hostile();
	return tap_end();
}
