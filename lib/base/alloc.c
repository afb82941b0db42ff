/* SPDX-License-Identifier: ISC */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exitcode.h"
#include "base/report.h"

#define SHORT_TEXT 128 /* bytes; what is longer is formatted twice */

static void *or_die(void *got)
{
	if (!got)
		die(EXIT_SYSTEM, "out of memory");
	return got;
}

void *alloc_zero(size_t count, size_t size)
{
	return or_die(calloc(count ? count : 1, size ? size : 1));
}

void *alloc_resize(void *old, size_t size)
{
	return or_die(realloc(old, size ? size : 1));
}

void *alloc_array(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	if (size && count > SIZE_MAX / 2 / size)
		die(EXIT_SYSTEM, "out of memory");
	return alloc_resize(array, (count ? count * 2 : 1) * size);
}

char *alloc_copy(const char *data, size_t len)
{
	char *copy = alloc_zero(len + 1, 1);

	if (len)
		memcpy(copy, data, len);
	return copy;
}

char *alloc_text(const char *fmt, ...)
{
	char first[SHORT_TEXT];
	char *text;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(first, sizeof(first), fmt, args);
	va_end(args);
	if (len < 0)
		die(EXIT_SYSTEM, "cannot format text");
	if ((size_t)len < sizeof(first))
		return alloc_copy(first, (size_t)len);
	text = alloc_zero((size_t)len + 1, 1);
	va_start(args, fmt);
	(void)vsnprintf(text, (size_t)len + 1, fmt, args);
	va_end(args);
	return text;
}
