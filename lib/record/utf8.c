/* SPDX-License-Identifier: ISC */
#include "record/utf8.h"

static size_t length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2)
		return 0;
	if (first < 0xe0)
		return 2;
	if (first < 0xf0)
		return 3;
	return first < 0xf5 ? 4 : 0;
}

size_t utf8_next(uint32_t *character, struct span bytes)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char *byte = (const unsigned char *)bytes.data;
	size_t len;
	size_t i;

	len = bytes.len ? length_of(byte[0]) : 0;
	if (!len || len > bytes.len)
		return 0;
	*character = byte[0] & mask[len];
	for (i = 1; i < len; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (byte[i] & 0x3f);
	}
	if (*character < least[len] || *character > 0x10ffff ||
	    (*character >= 0xd800 && *character <= 0xdfff))
		return 0;
	return len;
}

bool utf8_valid(struct span bytes)
{
	uint32_t character;
	size_t len;

	for (; bytes.len; bytes = span_from(bytes, len)) {
		len = utf8_next(&character, bytes);
		if (!len)
			return false;
	}
	return true;
}
