/* SPDX-License-Identifier: ISC */
#include "record/record.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/why.h"

/* Values are jansson's; the incomplete type keeps that inside this file. */
static json_t *json_of(const struct record_value *value)
{
	return (json_t *)(uintptr_t)value;
}

static const struct record_value *value_of(const json_t *json)
{
	return (const struct record_value *)json;
}

/* jansson bounds the depth at 2048 when it is built, so we count ourselves. */
static int too_deep(struct span line)
{
	bool quoted = false;
	int depth = 0;
	size_t i;

	for (i = 0; i < line.len; i++) {
		char c = line.data[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == '}' || c == ']'))
			depth--;
		if (depth > RECORD_DEPTH_MAX)
			return 1;
	}
	return 0;
}

/*
 * JSON has no such byte, but where a number or a word ends jansson takes it
 * for the end of what it has in hand, and reads on behind it.
 */
static bool has_nul(struct span text)
{
	return text.len && memchr(text.data, '\0', text.len);
}

static bool is_blank(struct span line)
{
	size_t i = 0;

	while (i < line.len && strchr(" \t\r", line.data[i]))
		i++;
	return i == line.len;
}

int record_read(struct record *record, struct span line, struct why *why)
{
	json_error_t error;

	if (has_nul(line))
		return why_set(why, EBADMSG, "not a record: a NUL byte");
	if (is_blank(line))
		return why_set(why, EBADMSG, "not a record: an empty line");
	if (too_deep(line))
		return why_set(why, EBADMSG, "nested deeper than %d",
			       RECORD_DEPTH_MAX);
	record->root = json_loadb(line.data ? line.data : "", line.len,
				  JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
				  &error);
	if (!record->root)
		return why_set(why, EBADMSG, "not a record: column %d: %s",
			       error.column, error.text);
	record->line = line;
	if (json_is_object((json_t *)record->root))
		return 0;
	record_drop(record);
	return why_set(why, EBADMSG, "not a record: not a JSON object");
}

int record_warm_up(struct why *why)
{
	autorecord struct record record = { 0 };

	return record_read(&record, span_of("{}"), why);
}

void record_drop(struct record *record)
{
	json_decref(record->root);
	*record = (struct record){ 0 };
}

const struct record_value *record_root(const struct record *record)
{
	return record->root;
}

const struct record_value *record_get(const struct record *record,
				      const char *name)
{
	return value_field(record_root(record), name);
}

bool record_has(const struct record *record, const char *name)
{
	return record_get(record, name) != NULL;
}

bool record_is_value(struct span text)
{
	json_error_t error;
	json_t *json;

	if (!text.len || has_nul(text) || too_deep(text))
		return false;
	json = json_loadb(text.data, text.len,
			  JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL |
				  JSON_DECODE_ANY,
			  &error);
	json_decref(json);
	return json != NULL;
}

const struct record_value *value_field(const struct record_value *value,
				       const char *name)
{
	return value_of(json_object_get(json_of(value), name));
}

void value_each(const struct record_value *value,
		void (*visit)(void *context, const char *name,
			      const struct record_value *field),
		void *context)
{
	const char *name;
	json_t *field;

	json_object_foreach(json_of(value), name, field)
		visit(context, name, value_of(field));
}

size_t value_count(const struct record_value *value)
{
	return json_array_size(json_of(value));
}

const struct record_value *value_at(const struct record_value *value,
				    size_t index)
{
	return value_of(json_array_get(json_of(value), index));
}

bool value_is_array(const struct record_value *value)
{
	return json_is_array(json_of(value));
}

bool value_is_object(const struct record_value *value)
{
	return json_is_object(json_of(value));
}

bool value_is_null(const struct record_value *value)
{
	return json_is_null(json_of(value));
}

bool value_is_true(const struct record_value *value)
{
	return json_is_true(json_of(value));
}

static int digit_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

/* The four characters at @text; returns how many bytes they make, or -1. */
static int decode_group(unsigned char *bytes, const char *text, bool last)
{
	uint32_t group = 0;
	int count = 3;
	int i;

	if (last && text[3] == '=')
		count = text[2] == '=' ? 1 : 2;
	for (i = 0; i < 4; i++) {
		int digit = i > count ? 0 : digit_of(text[i]);

		if (digit < 0)
			return -1;
		group = group << 6 | (uint32_t)digit;
	}
	if (group & (UINT32_C(0xffffff) >> (8 * count)))
		return -1;
	for (i = 0; i < count; i++)
		bytes[i] = (unsigned char)(group >> (16 - 8 * i));
	return count;
}

static int add_decoded(struct buf *bytes, struct span text)
{
	unsigned char three[3];
	size_t i;

	if (text.len % 4)
		return -EINVAL;
	for (i = 0; i < text.len; i += 4) {
		int count =
			decode_group(three, text.data + i, i + 4 == text.len);

		if (count < 0)
			return -EINVAL;
		buf_add(bytes, (struct span){ (char *)three, (size_t)count });
	}
	return 0;
}

static struct span string_of(const json_t *json)
{
	return (struct span){ json_string_value(json),
			      json_string_length(json) };
}

int value_bytes(struct buf *bytes, const struct record_value *value)
{
	json_t *json = json_of(value);
	json_t *coded;

	if (!json)
		return -ENOENT;
	if (json_is_string(json)) {
		buf_add(bytes, string_of(json));
		return 0;
	}
	coded = json_object_get(json, "base64");
	if (json_object_size(json) != 1 || !json_is_string(coded))
		return -EINVAL;
	return add_decoded(bytes, string_of(coded));
}

int value_text(struct buf *text, const struct record_value *value)
{
	size_t start = text->len;
	int r = value_bytes(text, value);

	if (r < 0)
		return r;
	if (text->len > start &&
	    memchr(text->data + start, '\0', text->len - start))
		return -EINVAL;
	return 0;
}

bool value_is(const struct record_value *value, const char *s)
{
	json_t *json = json_of(value);

	return json_is_string(json) && span_is(string_of(json), s);
}

const char *value_string(const struct record_value *value)
{
	json_t *json = json_of(value);
	struct span string = string_of(json);

	if (!json_is_string(json) || memchr(string.data, '\0', string.len))
		return NULL;
	return string.data;
}

int value_int(int64_t *number, const struct record_value *value)
{
	json_t *json = json_of(value);

	if (!json)
		return -ENOENT;
	if (!json_is_integer(json))
		return -EINVAL;
	*number = json_integer_value(json);
	return 0;
}

static int print_some(const char *bytes, size_t len, void *text)
{
	buf_add(text, (struct span){ bytes, len });
	return 0;
}

void value_print(struct buf *text, const struct record_value *value)
{
	if (value)
		(void)json_dump_callback(json_of(value), print_some, text,
					 JSON_COMPACT | JSON_ENCODE_ANY |
						 JSON_REAL_PRECISION(15));
}
