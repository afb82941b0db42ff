/* SPDX-License-Identifier: ISC */
/* record: what two readers could read in two ways is not read at all. */

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "record/json.h"
#include "record/record.h"
#include "unit/tap.h"

static int reads(const char *line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	return record_read(&record, span_of(line), &why);
}

static void test_refusals(void)
{
	static const struct {
		const char *line;
		const char *name;
	} rows[] = {
		{ "", "nothing at all" },
		{ "null", "a value that is no object" },
		{ "[{}]", "an array" },
		{ "{", "an object without an end" },
		{ "{} {}", "two records on a line" },
		{ "{}x", "something behind the record" },
		{ "{\"a\":1,\"a\":1}", "a field twice" },
		{ "{\"a\":1,\"\\u0061\":2}", "a field twice in two spellings" },
		{ "{\"o\":{\"a\":1,\"a\":1}}", "a field twice further in" },
		{ "{\"a\":\"\xff\"}", "bytes that are not UTF-8" },
		{ "{\"a\":\"\xc0\xaf\"}", "an overlong form" },
		{ "{\"a\":\"\xed\xa0\x80\"}", "a surrogate as bytes" },
		{ "{\"a\":\"\\ud800\"}", "half a surrogate pair" },
		{ "{\"a\\u0000b\":1}", "a NUL in a name" },
		{ "{\"a\":\"\n\"}", "a newline in a string" },
		{ "{\"a\":01}", "a number with a leading zero" },
		{ "{\"a\":NaN}", "a number that is none" },
		{ "{\"a\":1e999}", "a number that is too large" },
		{ "{'a':1}", "single quotes" },
		{ "{\"a\":1,}", "a comma too many" },
		{ "\xef\xbb\xbf{}", "a byte order mark" },
		{ "/* x */{}", "a comment" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(reads(rows[i].line) == -EBADMSG, rows[i].name);
}

/* Behind a number or a word jansson does not see one. */
static void test_nul(void)
{
	static const char with[][10] = { "{\"a\":1\0}", "{\"a\":\0 1}",
					 "{\"a\":1}\0", "{\"a\":\"\0\"}" };
	autorecord struct record record = { 0 };
	struct why why = { 0 };
	bool refused = true;
	size_t i;

	for (i = 0; i < sizeof(with) / sizeof(*with); i++) {
		struct span text = { with[i], sizeof(with[i]) - 1 };

		while (text.data[text.len - 1] != '}')
			text.len--;
		text.len += i == 2;
		refused = refused && memchr(text.data, '\0', text.len) &&
			  record_read(&record, text, &why) == -EBADMSG;
	}
	ok(refused, "a NUL byte, wherever it stands");
	ok(!record_is_value((struct span){ "1\0", 2 }), "a NUL behind a value");
}

static int reads_depth(int depth)
{
	autobuf struct buf b = { 0 };
	int i;

	buf_adds(&b, "{\"a\":\"[[[\\\"[[[\",\"d\":");
	for (i = 1; i < depth; i++)
		buf_addc(&b, '[');
	for (i = 1; i < depth; i++)
		buf_addc(&b, ']');
	buf_addc(&b, '}');
	return reads(buf_str(&b));
}

static void test_depth(void)
{
	ok(reads_depth(RECORD_DEPTH_MAX) == 0, "the depth that is allowed");
	ok(reads_depth(RECORD_DEPTH_MAX + 1) == -EBADMSG, "one level more");
	ok(reads_depth(200000) == -EBADMSG, "a depth that would eat a stack");
}

static const char line[] = "{\"s\":\"x\",\"n\":7,\"z\":\"a\\u0000b\","
			   "\"b\":{\"base64\":\"/wo=\"},"
			   "\"a\":[1,\"two\"],\"r\":1.5,"
			   "\"bad\":{\"base64\":\"/w==\",\"more\":1},"
			   "\"odd\":{\"base64\":\"/x==\"},"
			   "\"cut\":{\"base64\":\"/w=\"}}";

static void test_values(const struct record *record)
{
	autobuf struct buf b = { 0 };
	int64_t n = 0;

	ok(value_bytes(&b, record_get(record, "b")) == 0 &&
		   span_is(buf_span(&b), "\xff\n"),
	   "bytes come out of base64");
	buf_reset(&b);
	ok(value_bytes(&b, record_get(record, "z")) == 0 && b.len == 3 &&
		   !memcmp(b.data, "a\0b", 3),
	   "a NUL is a byte like others");
	ok(value_text(&b, record_get(record, "z")) == -EINVAL,
	   "text with a NUL is refused");
	ok(value_string(record_get(record, "z")) == NULL,
	   "and is no string either");
	ok(!strcmp(value_string(record_get(record, "s")), "x") &&
		   !value_string(record_get(record, "n")) &&
		   !value_string(NULL),
	   "a string is a string, and nothing else is");
	ok(value_bytes(&b, record_get(record, "bad")) == -EINVAL &&
		   value_bytes(&b, record_get(record, "odd")) == -EINVAL &&
		   value_bytes(&b, record_get(record, "cut")) == -EINVAL &&
		   value_bytes(&b, record_get(record, "n")) == -EINVAL,
	   "what is nearly base64 is refused");
	ok(value_bytes(&b, NULL) == -ENOENT, "an absent value says so");
	ok(value_int(&n, record_get(record, "n")) == 0 && n == 7 &&
		   value_int(&n, record_get(record, "r")) == -EINVAL,
	   "an integer is one, and a fraction is not");
	ok(value_count(record_get(record, "a")) == 2 &&
		   value_is(value_at(record_get(record, "a"), 1), "two") &&
		   !value_at(record_get(record, "a"), 2),
	   "an array has its elements and no more");
}

static void test_whole_value(void)
{
	ok(record_is_value(span_of("1")) && record_is_value(span_of("[{}]")) &&
		   record_is_value(span_of(" \"x\" ")),
	   "one value of any type is one");
	ok(!record_is_value(span_of("1,\"b\":2")) &&
		   !record_is_value(span_of("1 2")) &&
		   !record_is_value(span_of("")) &&
		   !record_is_value((struct span){ NULL, 0 }),
	   "what would smuggle in a second one is not");
}

int main(void)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	test_refusals();
	test_nul();
	test_depth();
	ok(record_read(&record, span_of(line), &why) == 0, "a record is read");
	ok(record_has(&record, "s") && !record_has(&record, "t"),
	   "it has the fields that it has");
	test_values(&record);
	test_whole_value();
	return tap_end();
}
