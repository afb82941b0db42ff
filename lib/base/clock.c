/* SPDX-License-Identifier: ISC */
#include "base/clock.h"

#include <time.h>

int64_t clock_ns(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CLOCK_NS_PER_S + now.tv_nsec;
}

int64_t clock_ms(void)
{
	return clock_ns() / CLOCK_NS_PER_MS;
}
