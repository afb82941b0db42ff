/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_DAY_H
#define CHOCK_BASE_DAY_H

/*
 * day - which day it is
 */

#include <stdint.h>

#define DAY_LEN 10 /* of YYYY-MM-DD */

/*
 * day_of_time - the day in UTC, as YYYY-MM-DD, of @seconds since the epoch
 *
 * What is before the epoch is its first day, what is behind the year 9999 is
 * 9999-99-99.
 */
void day_of_time(char day[DAY_LEN + 1], int64_t seconds);

/*
 * day_today - today in UTC, as YYYY-MM-DD
 *
 * Of two such days the one that sorts first is the earlier one.
 */
void day_today(char day[DAY_LEN + 1]);

#endif /* CHOCK_BASE_DAY_H */
