/* SPDX-License-Identifier: ISC */
/* A day has the name that libc gives to it, and sorts where it belongs. */

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/day.h"
#include "tap.h"

#define DAY 86400
#define BEHIND_9999 253402300800 /* seconds until 10000-01-01 */

/* Every day of 800 years, by its last second and its first. */
static bool agrees_with_libc(void)
{
	char ours[DAY_LEN + 1], theirs[DAY_LEN + 1];
	int64_t seconds;

	for (seconds = 0; seconds < (int64_t)292200 * DAY; seconds += DAY) {
		time_t first = seconds;
		struct tm utc;

		if (!gmtime_r(&first, &utc) ||
		    strftime(theirs, sizeof(theirs), "%Y-%m-%d", &utc) !=
			    DAY_LEN)
			return false;
		day_of_time(ours, seconds);
		if (strcmp(ours, theirs) != 0)
			return false;
		day_of_time(ours, seconds + DAY - 1);
		if (strcmp(ours, theirs) != 0)
			return false;
	}
	return true;
}

static bool is(int64_t seconds, const char *day)
{
	char ours[DAY_LEN + 1];

	day_of_time(ours, seconds);
	return !strcmp(ours, day);
}

int main(void)
{
	char first[DAY_LEN + 1], today[DAY_LEN + 1], last[DAY_LEN + 1];

	ok(agrees_with_libc(), "each day of eight hundred years");
	ok(is(951782400, "2000-02-29"), "a leap day");
	ok(is(BEHIND_9999 - 1, "9999-12-31"), "the last day with a name");
	ok(is(BEHIND_9999, "9999-99-99"), "the first one behind it");
	ok(is(INT64_MAX, "9999-99-99"), "the end of time");
	ok(is(-1, "1970-01-01") && is(INT64_MIN, "1970-01-01"),
	   "a clock that was never set");
	day_of_time(first, 0);
	day_today(today);
	day_of_time(last, BEHIND_9999);
	ok(strcmp(first, today) < 0 && strcmp(today, last) < 0,
	   "today sorts behind the first day and before the last");
	return tap_end();
}
