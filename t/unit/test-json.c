/* SPDX-License-Identifier: ISC */
/* json: a record is written so that every byte in it can be read back. */

#include <string.h>

#include "base/buf.h"
#include "record/json.h"
#include "unit/tap.h"

static bool writes(struct span value, const char *expected)
{
	autobuf struct buf b = { 0 };

	json_open(&b);
	json_str(&b, "v", value);
	json_close(&b);
	return !strcmp(buf_str(&b), expected);
}

static void test_text(void)
{
	ok(writes(span_of("a b"), "{\"v\":\"a b\"}"),
	   "text is written as it is");
	ok(writes(span_of("\"\\\n\t\r\x7f"),
		  "{\"v\":\"\\\"\\\\\\n\\t\\u000d\\u007f\"}"),
	   "quotes, backslashes and control characters are escaped");
	ok(writes((struct span){ "a\0b", 3 }, "{\"v\":\"a\\u0000b\"}"),
	   "a NUL is a character");
	ok(writes(span_of("\xc3\xa9"), "{\"v\":\"\xc3\xa9\"}"),
	   "UTF-8 is not escaped");
	ok(writes((struct span){ NULL, 0 }, "{\"v\":\"\"}"),
	   "no bytes are an empty string");
}

static void test_bytes(void)
{
	ok(writes(span_of("\xff"), "{\"v\":{\"base64\":\"/w==\"}}"),
	   "one byte that is not UTF-8 is base64 with two fills");
	ok(writes(span_of("\xff\n"), "{\"v\":{\"base64\":\"/wo=\"}}"),
	   "two bytes have one fill");
	ok(writes(span_of("\xff\xfe\xfd"), "{\"v\":{\"base64\":\"//79\"}}"),
	   "three bytes have none");
	ok(writes(span_of("\xed\xa0\x80"), "{\"v\":{\"base64\":\"7aCA\"}}"),
	   "a surrogate is not UTF-8");
}

static void test_commas(void)
{
	autobuf struct buf b = { 0 };

	json_open(&b);
	json_num(&b, "n", -3);
	json_open_array(&b, "a");
	json_item(&b, span_of("{"));
	json_item(&b, span_of("["));
	json_item_object(&b);
	json_bool(&b, "yes", true);
	json_close_object(&b);
	json_close_array(&b);
	json_open_object(&b, "o");
	json_close_object(&b);
	json_decimal(&b, "r", 1.5, 2);
	json_raw(&b, "j", span_of("null"));
	json_close(&b);
	ok(!strcmp(buf_str(&b), "{\"n\":-3,\"a\":[\"{\",\"[\",{\"yes\":true}],"
				"\"o\":{},\"r\":1.50,\"j\":null}"),
	   "commas are between elements and nowhere else");
}

static bool splices(const char *line, const char *expected)
{
	autobuf struct buf fields = { 0 };
	autobuf struct buf b = { 0 };

	json_num(&fields, "n", 1);
	json_splice(&b, span_of(line), buf_span(&fields));
	return !strcmp(buf_str(&b), expected);
}

static void test_splice(void)
{
	ok(splices("{\"a\":1.10}", "{\"a\":1.10,\"n\":1}"),
	   "a field is added behind the others");
	ok(splices("{}", "{\"n\":1}"), "an empty record gets no comma");
	ok(splices("{ }", "{\"n\":1 }"), "nor does a blank one");
	ok(splices("{\"a\":{}} \r", "{\"a\":{},\"n\":1} \r"),
	   "what is behind the record stays there");
	ok(splices(" { \"a\" : \"}\" }", " { \"a\" : \"}\",\"n\":1 }"),
	   "a brace in a string is none");
}

static bool walks(const char *array, const char *expected)
{
	autobuf struct buf b = { 0 };
	struct span rest = span_of(array);
	struct span element;

	while (json_next(&rest, &element)) {
		buf_addc(&b, '<');
		buf_add(&b, element);
		buf_addc(&b, '>');
	}
	return !strcmp(buf_str(&b), expected);
}

static void test_walk(void)
{
	ok(walks("[]", "") && walks(" [ ] ", ""), "an empty array has none");
	ok(walks("[1,\"a\",null]", "<1><\"a\"><null>"),
	   "each element is found");
	ok(walks("[ {\"a\": [1, 2]} ,\t[] ,3 ]", "<{\"a\": [1, 2]}><[]><3>"),
	   "blanks around an element are not its own");
	ok(walks("[\"],[\",\"\\\"]\"]", "<\"],[\"><\"\\\"]\">"),
	   "brackets in a string are none");
	ok(walks("[[[1]],{\"a\":{\"b\":[]}}]", "<[[1]]><{\"a\":{\"b\":[]}}>"),
	   "what is inside of an element is not looked at");
}

int main(void)
{
	test_text();
	test_bytes();
	test_commas();
	test_splice();
	test_walk();
	return tap_end();
}
