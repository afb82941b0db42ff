/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_DAY_H
#define CHOCK_BASE_DAY_H

/*
 * day - which day it is
 */

#define DAY_LEN 10 /* of YYYY-MM-DD */

/*
 * day_today - today in UTC, as YYYY-MM-DD
 *
 * Of two such days the one that sorts first is the earlier one.
 */
void day_today(char day[DAY_LEN + 1]);

#endif /* CHOCK_BASE_DAY_H */
