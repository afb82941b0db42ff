/* SPDX-License-Identifier: ISC */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t nearest_distance(struct span a, struct span b)
{
	size_t rows[3][NEAREST_LEN_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	size_t i, j;

	if (a.len > NEAREST_LEN_MAX || b.len > NEAREST_LEN_MAX)
		return NEAREST_LEN_MAX;
	for (j = 0; j <= b.len; j++)
		row[j] = j;
	for (i = 1; i <= a.len; i++) {
		size_t *oldest = before;

		before = above;
		above = row;
		row = oldest;
		row[0] = i;
		for (j = 1; j <= b.len; j++) {
			size_t differs = a.data[i - 1] != b.data[j - 1];

			row[j] = least(above[j] + 1, row[j - 1] + 1);
			row[j] = least(row[j], above[j - 1] + differs);
			if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
			    a.data[i - 2] == b.data[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[b.len];
}

const char *nearest_word(struct span word, const char *const *words,
			 size_t count)
{
	size_t best = word.len / 3 > 1 ? word.len / 3 : 1;
	const char *found = NULL;
	size_t i;

	if (word.len > NEAREST_LEN_MAX)
		return NULL;
	for (i = 0; i < count; i++) {
		size_t far = nearest_distance(word, span_of(words[i]));

		if (far < best || (far == best && !found)) {
			best = far;
			found = words[i];
		}
	}
	return found;
}

const char *nearest_clause(char clause[NEAREST_ROOM], struct span word,
			   const char *const *words, size_t count)
{
	const char *near = nearest_word(word, words, count);

	(void)snprintf(clause, NEAREST_ROOM, "%s%s%s",
		       near ? "; did you mean '" : "", near ? near : "",
		       near ? "'?" : "");
	return clause;
}
