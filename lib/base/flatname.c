/* SPDX-License-Identifier: ISC */
#include "base/flatname.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

static const char digits[] = "0123456789ABCDEF";

static bool is_plain(unsigned char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (!first && c && strchr("._-", c));
}

void flatname_add(struct buf *name, struct span path)
{
	size_t i;

	for (i = 0; i < path.len; i++) {
		const unsigned char c = (unsigned char)path.data[i];

		if (is_plain(c, !i))
			buf_addc(name, (char)c);
		else
			buf_addf(name, "%%%c%c", digits[c >> 4],
				 digits[c & 15]);
	}
}

static int digit(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The byte that @name has at @i, or -EINVAL; @i is behind it then. */
static int read_byte(struct span name, size_t *i)
{
	const bool first = !*i;
	const unsigned char c = (unsigned char)name.data[(*i)++];
	int high, low;

	if (c != '%')
		return is_plain(c, first) ? c : -EINVAL;
	if (name.len - *i < 2)
		return -EINVAL;
	high = digit(name.data[(*i)++]);
	low = digit(name.data[(*i)++]);
	if (high < 0 || low < 0 || !(high | low) ||
	    is_plain((unsigned char)(high << 4 | low), first))
		return -EINVAL;
	return high << 4 | low;
}

int flatname_path(struct buf *path, struct span name)
{
	autobuf struct buf found = { 0 };
	size_t i = 0;
	int byte;

	while (i < name.len) {
		byte = read_byte(name, &i);
		if (byte < 0)
			return byte;
		buf_addc(&found, (char)byte);
	}
	if (!found.len)
		return -EINVAL;
	buf_add(path, buf_span(&found));
	return 0;
}
