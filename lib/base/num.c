/* SPDX-License-Identifier: ISC */
#include "base/num.h"

#include <errno.h>
#include <stddef.h>

struct unit {
	const char *name;
	uint64_t factor;
};

/* The digits at the start of @text; @rest is what follows them. */
static int digits(uint64_t *value, struct span text, struct span *rest)
{
	size_t i;

	*value = 0;
	for (i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			break;
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, text.data[i] - '0', value))
			return -ERANGE;
	}
	*rest = span_from(text, i);
	return i ? 0 : -EINVAL;
}

static int with_unit(uint64_t *value, struct span text, uint64_t max,
		     const struct unit *units, size_t count)
{
	uint64_t factor = 1;
	struct span rest;
	size_t i;
	int r;

	r = digits(value, text, &rest);
	if (r < 0)
		return r;
	if (rest.len) {
		for (i = 0; i < count && !span_is(rest, units[i].name); i++)
			continue;
		if (i == count)
			return -EINVAL;
		factor = units[i].factor;
	}
	if (__builtin_mul_overflow(*value, factor, value))
		return -ERANGE;
	return *value > max ? -ERANGE : 0;
}

int num_read(uint64_t *value, struct span text, uint64_t max)
{
	return with_unit(value, text, max, NULL, 0);
}

static const struct unit sizes[] = {
	{ "B", 1 },
	{ "KiB", UINT64_C(1) << 10 },
	{ "MiB", UINT64_C(1) << 20 },
	{ "GiB", UINT64_C(1) << 30 },
	{ "TiB", UINT64_C(1) << 40 },
};

int num_read_size(uint64_t *bytes, struct span text, uint64_t max)
{
	return with_unit(bytes, text, max, sizes,
			 sizeof(sizes) / sizeof(*sizes));
}

const char *num_shorten(uint64_t *bytes)
{
	size_t i = sizeof(sizes) / sizeof(*sizes);

	while (--i && (!*bytes || *bytes % sizes[i].factor != 0))
		continue;
	*bytes /= sizes[i].factor;
	return sizes[i].name;
}

int num_read_seconds(uint64_t *seconds, struct span text, uint64_t max)
{
	static const struct unit units[] = {
		{ "s", 1 },
		{ "m", 60 },
		{ "h", 3600 },
		{ "d", 86400 },
	};

	return with_unit(seconds, text, max, units,
			 sizeof(units) / sizeof(*units));
}
