/* SPDX-License-Identifier: ISC */
#include "base/why.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bug.h"

static void put(struct why *why, const char *fmt, va_list args)
{
	(void)vsnprintf(why->text, sizeof(why->text), fmt, args);
}

int why_set(struct why *why, int errnum, const char *fmt, ...)
{
	va_list args;

	bug_if(errnum <= 0);
	why->errnum = errnum;
	va_start(args, fmt);
	put(why, fmt, args);
	va_end(args);
	return -errnum;
}

int why_sys(struct why *why, int errnum, const char *fmt, ...)
{
	size_t len;
	va_list args;

	bug_if(errnum <= 0);
	why->errnum = errnum;
	va_start(args, fmt);
	put(why, fmt, args);
	va_end(args);
	len = strlen(why->text);
	(void)snprintf(why->text + len, sizeof(why->text) - len, ": %s",
		       strerror(errnum));
	return -errnum;
}

int why_within(struct why *why, const char *fmt, ...)
{
	char inner[sizeof(why->text)];
	size_t len;
	va_list args;

	bug_if(why->errnum <= 0);
	memcpy(inner, why->text, sizeof(inner));
	va_start(args, fmt);
	put(why, fmt, args);
	va_end(args);
	len = strlen(why->text);
	(void)snprintf(why->text + len, sizeof(why->text) - len, ": %s", inner);
	return -why->errnum;
}
