/* SPDX-License-Identifier: ISC */
#include "base/why.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bug.h"

static void put(struct why *why, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

static void put(struct why *why, const char *fmt, va_list args)
{
	char text[sizeof(why->text)];

	/* Among the words may be those that it takes the place of. */
	(void)vsnprintf(text, sizeof(text), fmt, args);
	memcpy(why->text, text, strlen(text) + 1);
}

/* What we quoted may be long; the reason behind it is what must be read. */
static void put_behind(struct why *why, const char *reason)
{
	size_t room = sizeof(why->text) - sizeof(": ");
	size_t len = strlen(why->text);
	size_t reason_len = strlen(reason);
	size_t kept = len < room / 2 ? len : room / 2;

	if (reason_len > room - kept)
		reason_len = room - kept;
	if (len > room - reason_len)
		len = room - reason_len;
	(void)snprintf(why->text + len, sizeof(why->text) - len, ": %.*s",
		       (int)reason_len, reason);
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
	const char *reason = strerror(errnum);
	va_list args;

	bug_if(errnum <= 0);
	why->errnum = errnum;
	va_start(args, fmt);
	put(why, fmt, args);
	va_end(args);
	put_behind(why, reason);
	return -errnum;
}

int why_behind(struct why *why, const char *fmt, ...)
{
	char words[sizeof(why->text) / 2];
	size_t len = strlen(why->text);
	size_t words_len;
	va_list args;

	bug_if(why->errnum <= 0);
	va_start(args, fmt);
	(void)vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	words_len = strlen(words);
	if (len > sizeof(why->text) - 1 - words_len)
		len = sizeof(why->text) - 1 - words_len;
	memcpy(why->text + len, words, words_len + 1);
	return -why->errnum;
}

int why_within(struct why *why, const char *fmt, ...)
{
	char inner[sizeof(why->text)];
	va_list args;

	bug_if(why->errnum <= 0);
	memcpy(inner, why->text, sizeof(inner));
	va_start(args, fmt);
	put(why, fmt, args);
	va_end(args);
	put_behind(why, inner);
	return -why->errnum;
}
