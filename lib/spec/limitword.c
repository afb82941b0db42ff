/* SPDX-License-Identifier: ISC */
/* The limits in the words of who sets them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

static void put_value(struct buf *words, enum limit limit, uint64_t value)
{
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

	put_value(words, limit, limits->value[limit]);
	buf_adds(words, ", and ");
	if (limit == LIMIT_TIME)
		buf_adds(words, "'--timeout TIME', ");
	buf_addf(words,
		 "'--limit %s=%s' or 'limit %s %s' in a policy raises it", name,
		 value, name, value);
}

void limits_list(struct buf *list)
{
	unsigned int i;

	for (i = 0; i < LIMIT_COUNT; i++)
		buf_addf(list, "%s%s",
			 !i                     ? ""
			 : i == LIMIT_COUNT - 1 ? " and "
						: ", ",
			 limit_name((enum limit)i));
}

const char *limits_meant(char clause[NEAREST_ROOM], struct span text)
{
	struct span unit;
	size_t digits = 0;
	uint64_t number;
	char letter;

	*clause = '\0';
	while (digits < text.len && isdigit((unsigned char)text.data[digits]))
		digits++;
	unit = span_from(text, digits);
	if (num_read(&number, (struct span){ text.data, digits }, LIMIT_MOST) <
		    0 ||
	    !unit.len)
		return clause;
	letter = (char)toupper((unsigned char)*unit.data);
	unit = span_from(unit, 1);
	if (unit.len && tolower((unsigned char)*unit.data) == 'i')
		unit = span_from(unit, 1);
	if (unit.len && tolower((unsigned char)*unit.data) == 'b')
		unit = span_from(unit, 1);
	if (!unit.len && strchr("KMGT", letter))
		(void)snprintf(clause, NEAREST_ROOM,
			       "; did you mean '%llu%ciB'?",
			       (unsigned long long)number, letter);
	return clause;
}
