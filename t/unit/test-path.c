/* SPDX-License-Identifier: ISC */
/* What is in a directory stands right behind it, whatever its names are. */

#include <stddef.h>

#include "base/clock.h"
#include "base/path.h"
#include "tap.h"

/* In order. */
static const char *const paths[] = { "",      "a",     "a/",   "a/b", "a/b/c",
				     "a/b.c", "a\x01", "a.b",  "aa",  "b",
				     "\x7f",  "\xff",  "\xff/" };

#define COUNT (sizeof(paths) / sizeof(*paths))

static int order(size_t a, size_t b)
{
	return a == b ? 0 : a < b ? -1 : 1;
}

static void test_order(void)
{
	size_t a, b, wrong = 0;

	for (a = 0; a < COUNT; a++)
		for (b = 0; b < COUNT; b++)
			wrong += path_compare(paths[a], paths[b]) !=
				 order(a, b);
	ok(!wrong, "each path is before all that stand behind it");
}

static void test_clock(void)
{
	int64_t ms = clock_ms();
	int64_t ns = clock_ns();

	ok(ms > 0 && ns / CLOCK_NS_PER_MS >= ms && clock_ns() >= ns,
	   "the clock goes on, and is the same in both units");
}

int main(void)
{
	test_order();
	test_clock();
	return tap_end();
}
