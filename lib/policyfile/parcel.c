/* SPDX-License-Identifier: ISC */
#include "policyfile/parcel.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"

struct span parcel_take(struct parcel *parcel, size_t len)
{
	struct span taken = { parcel->rest.data, len };

	if (parcel->wrong || parcel->rest.len < len) {
		parcel->wrong = true;
		return (struct span){ NULL, 0 };
	}
	parcel->rest = span_from(parcel->rest, len);
	return taken;
}

void parcel_word(struct parcel *parcel, const char *word)
{
	if (!span_is(parcel_take(parcel, strlen(word)), word))
		parcel->wrong = true;
}

size_t parcel_size(struct parcel *parcel, char end, size_t max)
{
	const char *stop = parcel->rest.len ? memchr(parcel->rest.data, end,
						     parcel->rest.len)
					    : NULL;
	uint64_t size = 0;
	struct span digits;

	if (!stop) {
		parcel->wrong = true;
		return 0;
	}
	digits = parcel_take(parcel, (size_t)(stop - parcel->rest.data));
	(void)parcel_take(parcel, 1);
	if (num_read(&size, digits, max) < 0)
		parcel->wrong = true;
	return parcel->wrong ? 0 : (size_t)size;
}

char *parcel_text(struct parcel *parcel, size_t len)
{
	struct span text = parcel_take(parcel, len);

	parcel_word(parcel, "\n");
	if (parcel->wrong || !len || memchr(text.data, '\0', len)) {
		parcel->wrong = true;
		return NULL;
	}
	return alloc_copy(text.data, text.len);
}
