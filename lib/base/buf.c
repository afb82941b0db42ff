/* SPDX-License-Identifier: ISC */
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define BUF_FIRST_ROOM 64
#define SHORT_TEXT 128 /* bytes; what is longer is formatted twice */

bool buf_grow(struct buf *b, size_t more)
{
	size_t room = b->room ? b->room : BUF_FIRST_ROOM;

	if (b->full || more > BUF_MAX - b->len) {
		b->full = true;
		return false;
	}
	while (room < b->len + more + 1)
		room *= 2;
	if (room != b->room) {
		b->data = alloc_resize(b->data, room);
		b->room = room;
		b->data[b->len] = '\0';
	}
	return true;
}

void buf_add(struct buf *b, struct span bytes)
{
	if (!bytes.len || !buf_grow(b, bytes.len))
		return;
	memcpy(b->data + b->len, bytes.data, bytes.len);
	b->len += bytes.len;
	b->data[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, span_of(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, (struct span){ &c, 1 });
}

void buf_add_plain(struct buf *b, struct span bytes)
{
	size_t i;

	for (i = 0; i < bytes.len; i++) {
		char c = bytes.data[i];

		buf_addc(b, c < ' ' || c > '~' ? '?' : c);
	}
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	char text[SHORT_TEXT];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len < 0)
		b->full = true;
	if (len < 0 || !buf_grow(b, (size_t)len))
		return;
	if ((size_t)len < sizeof(text)) {
		buf_add(b, (struct span){ text, (size_t)len });
		return;
	}
	va_start(args, fmt);
	(void)vsnprintf(b->data + b->len, (size_t)len + 1, fmt, args);
	va_end(args);
	b->len += (size_t)len;
}

struct span buf_span(const struct buf *b)
{
	return (struct span){ b->data, b->len };
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

void buf_cut(struct buf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->full = false;
	if (b->data)
		b->data[0] = '\0';
}

void buf_drop(struct buf *b)
{
	int saved = errno;

	free(b->data);
	*b = (struct buf){ 0 };
	errno = saved;
}
