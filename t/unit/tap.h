/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_UNIT_TAP_H
#define CHOCK_UNIT_TAP_H

/*
 * tap - the Test Anything Protocol, in as much as unit tests need
 *
 * ok() counts and prints one line a promise; a test program ends with
 * `return tap_end();`.
 */

#include <stdio.h>

static int tap_count;
static int tap_failed;

#define ok(fact, name)                                                      \
	do {                                                                \
		int tap_fact = !!(fact);                                    \
                                                                            \
		tap_count++;                                                \
		tap_failed += !tap_fact;                                    \
		printf("%sok %d - %s\n", tap_fact ? "" : "not ", tap_count, \
		       name);                                               \
		if (!tap_fact)                                              \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #fact); \
	} while (0)

static inline int tap_end(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif /* CHOCK_UNIT_TAP_H */
