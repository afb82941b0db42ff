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

/*
 * What is not shown as it is, by ascending numbers: the characters that
 * Unicode calls controls, formats and default ignorable, its separators and
 * blanks but U+0020, and the code points that are no character.
 */
static const uint32_t unseen[][2] = {
	{ 0x0000, 0x001f },   { 0x007f, 0x00a0 },    { 0x00ad, 0x00ad },
	{ 0x034f, 0x034f },   { 0x0600, 0x0605 },    { 0x061c, 0x061c },
	{ 0x06dd, 0x06dd },   { 0x070f, 0x070f },    { 0x08e2, 0x08e2 },
	{ 0x115f, 0x1160 },   { 0x1680, 0x1680 },    { 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },   { 0x2000, 0x200f },    { 0x2028, 0x202f },
	{ 0x205f, 0x206f },   { 0x2800, 0x2800 },    { 0x3000, 0x3000 },
	{ 0x3164, 0x3164 },   { 0xe000, 0xf8ff },    { 0xfdd0, 0xfdef },
	{ 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },    { 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb },   { 0xfffe, 0xffff },    { 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0x10ffff },
};

bool utf8_unseen(uint32_t character)
{
	size_t i;

	if ((character & 0xfffe) == 0xfffe)
		return true;
	for (i = 0; i < sizeof(unseen) / sizeof(*unseen); i++)
		if (character >= unseen[i][0] && character <= unseen[i][1])
			return true;
	return false;
}
