/* SPDX-License-Identifier: ISC */
#include "base/day.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/*
 * gmtime_r(3) and strftime(3) of glibc look up the zone of local time first,
 * in a file, which takes longer than all else that is done with a day.
 */

#define SECONDS_OF_DAY 86400
#define EPOCH 1970
#define YEAR_MAX 9999U

static bool is_leap(unsigned int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned int days_of_month(unsigned int year, unsigned int month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30,
					      31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year) ? 1U : 0U);
}

void day_of_time(char day[DAY_LEN + 1], int64_t seconds)
{
	int64_t left = seconds < 0 ? 0 : seconds / SECONDS_OF_DAY;
	unsigned int year = EPOCH;
	unsigned int month = 1;

	for (; left >= 365 + is_leap(year) && year <= YEAR_MAX; year++)
		left -= 365 + is_leap(year);
	/* A clock that is set behind the year 9999 sorts behind every day. */
	if (year > YEAR_MAX) {
		memcpy(day, "9999-99-99", DAY_LEN + 1);
		return;
	}
	for (; left >= days_of_month(year, month); month++)
		left -= days_of_month(year, month);
	(void)snprintf(day, DAY_LEN + 1, "%04u-%02u-%02u", year % 10000,
		       month % 100, ((unsigned int)left + 1) % 100);
}

void day_today(char day[DAY_LEN + 1])
{
	day_of_time(day, time(NULL));
}
