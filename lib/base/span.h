/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_SPAN_H
#define CHOCK_BASE_SPAN_H

/*
 * span - bytes that somebody else owns
 *
 * A span borrows: it is valid for as long as what it points into.  The bytes
 * may hold anything, NUL included, and are not terminated.
 *
 * Invariants
 *   - len bytes can be read at data; data may be NULL only if len is 0.
 */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *data; /* borrowed */
	size_t len;
};

/* span_of - the bytes of the string @s, without its NUL; none for NULL */
static inline struct span span_of(const char *s)
{
	return (struct span){ s, s ? strlen(s) : 0 };
}

/* span_equal - whether @a and @b hold the same bytes */
static inline bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (!a.len || !memcmp(a.data, b.data, a.len));
}

/* span_is - whether @a holds just the bytes of the string @s */
static inline bool span_is(struct span a, const char *s)
{
	return span_equal(a, span_of(s));
}

/* span_starts - whether the first bytes of @a are those of the string @s */
static inline bool span_starts(struct span a, const char *s)
{
	struct span start = span_of(s);

	return a.len >= start.len && !memcmp(a.data, start.data, start.len);
}

/* span_from - what is left of @a after its first @skip bytes */
static inline struct span span_from(struct span a, size_t skip)
{
	if (skip > a.len)
		skip = a.len;
	return (struct span){ a.data ? a.data + skip : NULL, a.len - skip };
}

/* span_cut - what is before the next @end, which both leave @rest */
static inline struct span span_cut(struct span *rest, char end)
{
	const char *found =
		rest->len ? (const char *)memchr(rest->data, end, rest->len)
			  : NULL;
	struct span first = *rest;

	if (found)
		first.len = (size_t)(found - rest->data);
	*rest = span_from(*rest, first.len + (found ? 1 : 0));
	return first;
}

#endif /* CHOCK_BASE_SPAN_H */
