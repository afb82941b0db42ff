/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_CLOCK_H
#define CHOCK_BASE_CLOCK_H

/*
 * clock - how long something takes, whoever sets the clock meanwhile
 */

#include <stdint.h>

#define CLOCK_NS_PER_MS INT64_C(1000000)
#define CLOCK_NS_PER_S INT64_C(1000000000)

/* clock_ns - nanoseconds since a time that stays (CLOCK_MONOTONIC) */
int64_t clock_ns(void);

/* clock_ms - the same in milliseconds */
int64_t clock_ms(void);

#endif /* CHOCK_BASE_CLOCK_H */
