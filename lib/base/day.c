/* SPDX-License-Identifier: ISC */
#include "base/day.h"

#include <string.h>
#include <time.h>

#include "base/bug.h"

void day_today(char day[DAY_LEN + 1])
{
	time_t now = time(NULL);
	struct tm utc;

	/* A clock that is set behind the year 9999 sorts behind every day. */
	if (!gmtime_r(&now, &utc) || utc.tm_year > 9999 - 1900) {
		memcpy(day, "9999-99-99", DAY_LEN + 1);
		return;
	}
	bug_if(strftime(day, DAY_LEN + 1, "%Y-%m-%d", &utc) != DAY_LEN);
}
