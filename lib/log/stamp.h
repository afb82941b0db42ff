/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LOG_STAMP_H
#define CHOCK_LOG_STAMP_H

/*
 * stamp - a moment as RFC 3339 text, in UTC with milliseconds
 *
 * Stamps are for people.  Nothing in a log is decided by them, for a clock
 * can be set back.
 */

#include <stdint.h>

#define STAMP_LEN 24 /* "2026-11-29T10:00:00.123Z" */

/* The last moment that four digits of a year can say, in milliseconds. */
#define STAMP_MS_MAX UINT64_C(253402300799999)

/* stamp_put - @ms since 1970 as text; more than STAMP_MS_MAX is cut to it */
void stamp_put(char text[STAMP_LEN + 1], uint64_t ms);

/* stamp_now - the time of day in milliseconds since 1970 */
uint64_t stamp_now(void);

#endif /* CHOCK_LOG_STAMP_H */
