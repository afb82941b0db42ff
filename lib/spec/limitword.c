/* SPDX-License-Identifier: ISC */
/* The limits in the words of who sets them. */
#include "base/buf.h"
#include "base/num.h"
#include "spec/limits.h"

/* What stands for its value in a manual; a size where it is nothing else. */
static const char *placeholder(enum limit limit)
{
	if (limit == LIMIT_TIME || limit == LIMIT_CPU_TIME)
		return "TIME";
	if (limit == LIMIT_FILES || limit == LIMIT_PROCESSES ||
	    limit == LIMIT_CPU)
		return "COUNT";
	return "SIZE";
}

void limits_words(struct buf *words, const struct limits *limits,
		  enum limit limit)
{
	uint64_t value = limits->value[limit];
	const char *unit = "";

	if (value == LIMIT_NONE) {
		buf_adds(words, "none");
		return;
	}
	if (limit == LIMIT_TIME || limit == LIMIT_CPU_TIME)
		unit = "s";
	else if (limit == LIMIT_CPU)
		value /= 100;
	else if (limit != LIMIT_FILES && limit != LIMIT_PROCESSES)
		unit = num_shorten(&value);
	buf_addf(words, "%llu%s", (unsigned long long)value, unit);
}

void limits_raise(struct buf *words, const struct limits *limits,
		  enum limit limit)
{
	const char *name = limit_name(limit);
	const char *value = placeholder(limit);

	limits_words(words, limits, limit);
	buf_addf(words,
		 ", and '--limit %s=%s' or 'limit %s %s' in a policy raises it",
		 name, value, name, value);
}
