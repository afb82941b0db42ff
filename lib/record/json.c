/* SPDX-License-Identifier: ISC */
#include "record/json.h"

#include "record/utf8.h"

/* RFC 4648, section 4. */
static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";

static char digit(uint32_t group, size_t index)
{
	return base64_digits[group >> (18 - 6 * index) & 0x3f];
}

static void add_base64(struct buf *b, struct span value)
{
	const unsigned char *byte = (const unsigned char *)value.data;
	size_t i, j;

	for (i = 0; i < value.len; i += 3) {
		uint32_t group = (uint32_t)byte[i] << 16;
		size_t have = value.len - i < 3 ? value.len - i : 3;

		if (have > 1)
			group |= (uint32_t)byte[i + 1] << 8;
		if (have > 2)
			group |= byte[i + 2];
		for (j = 0; j < 4; j++)
			buf_addc(b, j > have ? '=' : digit(group, j));
	}
}

static void add_escaped(struct buf *b, char c)
{
	switch (c) {
	case '"':
	case '\\':
		buf_addc(b, '\\');
		buf_addc(b, c);
		break;
	case '\n':
		buf_adds(b, "\\n");
		break;
	case '\t':
		buf_adds(b, "\\t");
		break;
	default:
		if ((unsigned char)c < 0x20 || c == 0x7f)
			buf_addf(b, "\\u%04x", (unsigned int)c);
		else
			buf_addc(b, c);
	}
}

/* How many bytes at the start of @text stand for themselves. */
static size_t plain_len(struct span text)
{
	size_t len = 0;

	while (len < text.len && (unsigned char)text.data[len] >= 0x20 &&
	       text.data[len] != 0x7f && text.data[len] != '"' &&
	       text.data[len] != '\\')
		len++;
	return len;
}

static void add_value(struct buf *b, struct span value)
{
	size_t plain, i;

	if (!utf8_valid(value)) {
		buf_adds(b, "{\"base64\":\"");
		add_base64(b, value);
		buf_adds(b, "\"}");
		return;
	}
	buf_addc(b, '"');
	for (i = 0; i < value.len; i += plain) {
		plain = plain_len(span_from(value, i));
		buf_add(b, (struct span){ value.data + i, plain });
		if (!plain) {
			add_escaped(b, value.data[i]);
			plain = 1;
		}
	}
	buf_addc(b, '"');
}

static void add_comma(struct buf *b)
{
	char last = b->len ? b->data[b->len - 1] : '{';

	if (last != '{' && last != '[')
		buf_addc(b, ',');
}

static void add_name(struct buf *b, const char *name)
{
	add_comma(b);
	add_value(b, span_of(name));
	buf_addc(b, ':');
}

void json_open(struct buf *b)
{
	buf_addc(b, '{');
}

void json_close(struct buf *b)
{
	buf_addc(b, '}');
}

void json_close_line(struct buf *b)
{
	json_close(b);
	buf_addc(b, '\n');
}

void json_str(struct buf *b, const char *name, struct span value)
{
	add_name(b, name);
	add_value(b, value);
}

void json_num(struct buf *b, const char *name, int64_t value)
{
	add_name(b, name);
	buf_addf(b, "%lld", (long long)value);
}

void json_bool(struct buf *b, const char *name, bool value)
{
	add_name(b, name);
	buf_adds(b, value ? "true" : "false");
}

void json_decimal(struct buf *b, const char *name, double value, int digits)
{
	add_name(b, name);
	buf_addf(b, "%.*f", digits, value);
}

void json_raw(struct buf *b, const char *name, struct span value)
{
	add_name(b, name);
	buf_add(b, value);
}

void json_open_object(struct buf *b, const char *name)
{
	add_name(b, name);
	buf_addc(b, '{');
}

void json_close_object(struct buf *b)
{
	buf_addc(b, '}');
}

void json_open_array(struct buf *b, const char *name)
{
	add_name(b, name);
	buf_addc(b, '[');
}

void json_close_array(struct buf *b)
{
	buf_addc(b, ']');
}

void json_item(struct buf *b, struct span value)
{
	add_comma(b);
	add_value(b, value);
}

void json_item_object(struct buf *b)
{
	add_comma(b);
	buf_addc(b, '{');
}

void json_splice(struct buf *b, struct span line, struct span fields)
{
	size_t end = line.len;
	size_t last;

	while (end && line.data[end - 1] != '}')
		end--;
	if (!end)
		return;
	last = end - 1;
	while (last &&
	       (line.data[last - 1] == ' ' || line.data[last - 1] == '\t' ||
		line.data[last - 1] == '\r'))
		last--;
	buf_add(b, (struct span){ line.data, last });
	if (fields.len && last && line.data[last - 1] != '{')
		buf_addc(b, ',');
	buf_add(b, fields);
	buf_add(b, span_from(line, last));
}

/* The end of the string whose opening quote is at @start. */
static size_t string_end(struct span line, size_t start)
{
	size_t i;

	for (i = start + 1; i < line.len && line.data[i] != '"'; i++)
		if (line.data[i] == '\\')
			i++;
	return i < line.len ? i + 1 : line.len;
}

/* The end of the value at @start: a comma or a bracket that is not inside. */
static size_t value_end(struct span line, size_t start)
{
	int depth = 0;
	size_t i = start;

	while (i < line.len) {
		char c = line.data[i];

		if (c == '"') {
			i = string_end(line, i);
			continue;
		}
		if (!depth && (c == ',' || c == '}' || c == ']'))
			break;
		if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth--;
		i++;
	}
	return i;
}

static size_t skip_blanks(struct span line, size_t i)
{
	while (i < line.len && (line.data[i] == ' ' || line.data[i] == '\t' ||
				line.data[i] == '\r'))
		i++;
	return i;
}

/* What of @value is before the blanks at its end. */
static struct span without_blanks(struct span value)
{
	while (value.len && (value.data[value.len - 1] == ' ' ||
			     value.data[value.len - 1] == '\t' ||
			     value.data[value.len - 1] == '\r'))
		value.len--;
	return value;
}

bool json_next(struct span *rest, struct span *element)
{
	size_t start = skip_blanks(*rest, 0);
	size_t end;

	/* The bracket before the first element, or the comma before another. */
	start = skip_blanks(*rest, start + 1);
	if (start >= rest->len || rest->data[start] == ']')
		return false;
	end = value_end(*rest, start);
	*element = without_blanks(
		(struct span){ rest->data + start, end - start });
	*rest = span_from(*rest, end);
	return true;
}

struct span json_find(struct span line, const char *name)
{
	size_t i = skip_blanks(line, 0);

	while (i < line.len && line.data[i] != '}') {
		size_t start = skip_blanks(line, i + 1);
		size_t end = string_end(line, start);
		struct span found = { line.data + start + 1, end - start - 2 };

		if (end < start + 2)
			break;
		start = skip_blanks(line, skip_blanks(line, end) + 1);
		i = value_end(line, start);
		if (!span_is(found, name))
			continue;
		return without_blanks(
			(struct span){ line.data + start, i - start });
	}
	return (struct span){ 0 };
}
