/* SPDX-License-Identifier: ISC */
#include "log/stamp.h"

#include <string.h>
#include <time.h>

#define DAY_MS UINT64_C(86400000)

/*
 * gmtime(3) and printf(3) are not used: every event has a stamp, so it is
 * made several times faster here, and libc would look for the settings of
 * the time zone, which a program that confined itself cannot read.
 */
static void put_digits(char *end, unsigned int value, int count)
{
	while (count--) {
		*--end = (char)('0' + value % 10);
		value /= 10;
	}
}

static unsigned int leap_days_before(unsigned int year)
{
	year--;
	return year / 4 - year / 100 + year / 400;
}

static unsigned int days_before(unsigned int year)
{
	return (year - 1970) * 365 + leap_days_before(year) -
	       leap_days_before(1970);
}

static void put_date(char *text, unsigned int day)
{
	static const unsigned char lengths[] = { 31, 28, 31, 30, 31, 30,
						 31, 31, 30, 31, 30, 31 };
	unsigned int year = 1970 + day / 366;
	unsigned int month;
	unsigned int len;

	while (days_before(year + 1) <= day)
		year++;
	day -= days_before(year);
	for (month = 0;; month++) {
		len = lengths[month];
		if (month == 1)
			len += leap_days_before(year + 1) -
			       leap_days_before(year);
		if (day < len)
			break;
		day -= len;
	}
	put_digits(text + 4, year, 4);
	put_digits(text + 7, month + 1, 2);
	put_digits(text + 10, day + 1, 2);
}

void stamp_put(char text[STAMP_LEN + 1], uint64_t ms)
{
	unsigned int rest;

	if (ms > STAMP_MS_MAX)
		ms = STAMP_MS_MAX;
	rest = (unsigned int)(ms % DAY_MS);
	memcpy(text, "0000-00-00T00:00:00.000Z", STAMP_LEN + 1);
	put_date(text, (unsigned int)(ms / DAY_MS));
	put_digits(text + 13, rest / 3600000, 2);
	put_digits(text + 16, rest / 60000 % 60, 2);
	put_digits(text + 19, rest / 1000 % 60, 2);
	put_digits(text + 23, rest % 1000, 3);
}

uint64_t stamp_now(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec < 0 ? 0
			      : (uint64_t)now.tv_sec * 1000 +
					(uint64_t)now.tv_nsec / 1000000;
}
