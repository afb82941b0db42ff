/* SPDX-License-Identifier: ISC */
#include "log/stamp.h"

#include <string.h>
#include <time.h>

/* Every logged event has a stamp: this is several times printf's speed. */
static void put_digits(char *end, unsigned int value, int count)
{
	while (count--) {
		*--end = (char)('0' + value % 10);
		value /= 10;
	}
}

void stamp_put(char text[STAMP_LEN + 1], uint64_t ms)
{
	struct tm tm = { 0 };
	time_t seconds;

	if (ms > STAMP_MS_MAX)
		ms = STAMP_MS_MAX;
	seconds = (time_t)(ms / 1000);
	(void)gmtime_r(&seconds, &tm);
	memcpy(text, "0000-00-00T00:00:00.000Z", STAMP_LEN + 1);
	put_digits(text + 4, (unsigned int)tm.tm_year + 1900, 4);
	put_digits(text + 7, (unsigned int)tm.tm_mon + 1, 2);
	put_digits(text + 10, (unsigned int)tm.tm_mday, 2);
	put_digits(text + 13, (unsigned int)tm.tm_hour, 2);
	put_digits(text + 16, (unsigned int)tm.tm_min, 2);
	put_digits(text + 19, (unsigned int)tm.tm_sec, 2);
	put_digits(text + 23, (unsigned int)(ms % 1000), 3);
}

uint64_t stamp_now(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec < 0 ? 0
			      : (uint64_t)now.tv_sec * 1000 +
					(uint64_t)now.tv_nsec / 1000000;
}
