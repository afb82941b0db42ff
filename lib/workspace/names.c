/* SPDX-License-Identifier: ISC */
#include "workspace/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

void names_add(struct names *names, struct span bytes)
{
	names->items =
		alloc_array(names->items, names->count, sizeof(*names->items));
	names->items[names->count++] = alloc_copy(bytes.data, bytes.len);
}

void names_split(struct names *names, struct span bytes, char separator)
{
	while (bytes.len) {
		const char *end = memchr(bytes.data, separator, bytes.len);
		size_t len = end ? (size_t)(end - bytes.data) : bytes.len;

		names_add(names, (struct span){ bytes.data, len });
		bytes = span_from(bytes, len + 1);
	}
}

void names_words(struct names *names, const char *const *words)
{
	for (; *words; words++)
		names_add(names, span_of(*words));
}

void names_join(const struct names *names, struct buf *bytes, char separator)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		buf_adds(bytes, names->items[i]);
		buf_addc(bytes, separator);
	}
}

const char *const *names_argv(struct names *names)
{
	names->items =
		alloc_array(names->items, names->count, sizeof(*names->items));
	names->items[names->count] = NULL;
	return (const char *const *)names->items;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_tidy(struct names *names)
{
	size_t kept = 0;
	size_t i;

	if (!names->count)
		return;
	qsort(names->items, names->count, sizeof(*names->items), compare);
	for (i = 1; i < names->count; i++)
		if (strcmp(names->items[kept], names->items[i]) != 0)
			names->items[++kept] = names->items[i];
		else
			free(names->items[i]);
	names->count = kept + 1;
}

bool names_has(const struct names *names, const char *name)
{
	return names->count && bsearch(&name, names->items, names->count,
				       sizeof(*names->items), compare);
}

void names_drop(struct names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct names){ 0 };
}
