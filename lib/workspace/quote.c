/* SPDX-License-Identifier: ISC */
#include "workspace/quote.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "record/utf8.h"

static bool plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

void quote_c(struct buf *b, struct span bytes)
{
	size_t i;

	buf_addc(b, '"');
	for (i = 0; i < bytes.len; i++)
		if (plain((unsigned char)bytes.data[i]))
			buf_addc(b, bytes.data[i]);
		else
			buf_addf(b, "\\%03o", (unsigned char)bytes.data[i]);
	buf_addc(b, '"');
}

static bool octal(char c)
{
	return c >= '0' && c <= '7';
}

/* One escape behind its backslash; returns how long it is, 0 if it is none. */
static size_t unescape(struct buf *b, struct span rest)
{
	static const char letters[] = "abfnrtv\"\\";
	static const char meant[] = "\a\b\f\n\r\t\v\"\\";
	const char *found;

	if (!rest.len || !rest.data[0])
		return 0;
	found = strchr(letters, rest.data[0]);
	if (found) {
		buf_addc(b, meant[found - letters]);
		return 1;
	}
	if (rest.len < 3 || !octal(rest.data[0]) || rest.data[0] > '3' ||
	    !octal(rest.data[1]) || !octal(rest.data[2]))
		return 0;
	buf_addc(b, (char)((rest.data[0] - '0') * 64 +
			   (rest.data[1] - '0') * 8 + rest.data[2] - '0'));
	return 3;
}

int quote_c_read(struct buf *b, struct span quoted)
{
	size_t len;

	if (!quoted.len || quoted.data[0] != '"') {
		buf_add(b, quoted);
		return 0;
	}
	quoted = span_from(quoted, 1);
	while (quoted.len && quoted.data[0] != '"') {
		len = 1;
		if (quoted.data[0] == '\\') {
			len = unescape(b, span_from(quoted, 1));
			if (!len++)
				return -EINVAL;
		} else {
			buf_addc(b, quoted.data[0]);
		}
		quoted = span_from(quoted, len);
	}
	return quoted.len == 1 ? 0 : -EINVAL;
}

void quote_config(struct buf *b, struct span bytes)
{
	size_t i;

	buf_addc(b, '"');
	for (i = 0; i < bytes.len; i++) {
		char c = bytes.data[i];

		if (c == '\n') {
			buf_adds(b, "\\n");
			continue;
		}
		if (c == '"' || c == '\\')
			buf_addc(b, '\\');
		buf_addc(b, c);
	}
	buf_addc(b, '"');
}

void quote_bind(struct buf *b, struct span bytes)
{
	size_t i;

	for (i = 0; i < bytes.len; i++) {
		if (bytes.data[i] == ':' || bytes.data[i] == '\\')
			buf_addc(b, '\\');
		buf_addc(b, bytes.data[i]);
	}
}

static void show(struct buf *b, struct span bytes, const char *kept)
{
	uint32_t c;
	size_t len;

	while (bytes.len) {
		len = utf8_next(&c, bytes);
		if (!len)
			buf_addf(b, "\\x%02x", (unsigned char)bytes.data[0]);
		else if (len == 1 && c && strchr(kept, (int)c))
			buf_addc(b, (char)c);
		else if (utf8_unseen(c) && c < 0x80)
			buf_addf(b, "\\x%02x", c);
		else if (utf8_unseen(c))
			buf_addf(b, "\\u{%04x}", c);
		else if (!*kept && c == '\\')
			buf_adds(b, "\\\\");
		else
			buf_add(b, (struct span){ bytes.data, len });
		bytes = span_from(bytes, len ? len : 1);
	}
}

void quote_shown(struct buf *b, struct span bytes)
{
	show(b, bytes, "\n\t");
}

void quote_line(struct buf *b, struct span bytes)
{
	show(b, bytes, "");
}

void quote_shell(struct buf *b, struct span bytes)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789/._-+=,@%";
	size_t i;

	for (i = 0; i < bytes.len; i++)
		if (!bytes.data[i] || !strchr(safe, bytes.data[i]))
			break;
	if (bytes.len && i == bytes.len) {
		buf_add(b, bytes);
		return;
	}
	buf_addc(b, '\'');
	for (i = 0; i < bytes.len; i++)
		if (bytes.data[i] == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, bytes.data[i]);
	buf_addc(b, '\'');
}
