/* SPDX-License-Identifier: ISC */
/* question, kept: what was said yes to is what was shown, and no more */

#include <errno.h>
#include <string.h>

#include "ask/kept.h"
#include "ask/question.h"
#include "base/why.h"
#include "record/json.h"
#include "tap.h"

static void key_of(char key[SHA256_HEX + 1], const char *line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	if (record_read(&record, span_of(line), &why) < 0)
		printf("Bail out! %s\n", why.text);
	question_key(key, &record);
}

static bool same(const char *a, const char *b)
{
	char first[SHA256_HEX + 1], second[SHA256_HEX + 1];

	key_of(first, a);
	key_of(second, b);
	return !strcmp(first, second);
}

static void test_key(void)
{
	const char *push = "{\"id\":\"1\",\"action\":\"git.push\",\"detail\":"
			   "\"to a\",\"decision\":\"ask\",\"rule\":\"p:9\"}";

	ok(same(push, "{\"id\":\"2\",\"action\":\"git.push\",\"detail\":\"to "
		      "a\",\"decision\":\"ask\",\"rule\":\"p:9\",\"seq\":4,"
		      "\"hash\":\"00\"}"),
	   "id, seq and hash make no other question");
	ok(same(push, "{ \"id\":\"1\", \"action\":\"git.pu\\u0073h\", "
		      "\"detail\":\"to a\",\"decision\":\"ask\","
		      "\"rule\":\"p:9\"}"),
	   "nor does the spelling of the JSON");
	ok(!same(push, "{\"action\":\"git.push\",\"detail\":\"to b\","
		       "\"decision\":\"ask\",\"rule\":\"p:9\"}"),
	   "another effect does");
	ok(!same(push, "{\"action\":\"git.fetch\",\"detail\":\"to a\","
		       "\"decision\":\"ask\",\"rule\":\"p:9\"}"),
	   "another action does");
	ok(!same(push, "{\"action\":\"git.push\",\"detail\":\"to a\","
		       "\"decision\":\"ask\",\"rule\":\"p:10\"}"),
	   "another rule does");
	ok(!same(push, "{\"action\":\"git.push\",\"detail\":\"to a\","
		       "\"decision\":\"ask\",\"rule\":\"p:9\",\"x\":null}"),
	   "a field that we do not know does");
	ok(!same("{\"a\":\"b\",\"c\":\"d\"}", "{\"a\":\"b\\\"c\\\":\\\"d\"}"),
	   "no value can pass for two fields");
}

static void test_kept(void)
{
	autokept struct kept kept = { 0 };
	char key[SHA256_HEX + 1];
	int i, r = 0;

	for (i = 0; i < KEPT_MAX; i++) {
		(void)snprintf(key, sizeof(key), "%064d", i);
		r |= kept_add(&kept, key);
	}
	ok(!r, "KEPT_MAX questions are kept");
	ok(kept_has(&kept, key), "and found again");
	(void)snprintf(key, sizeof(key), "%064d", i);
	ok(!kept_has(&kept, key), "but no other");
	ok(kept_add(&kept, key) == -ENOSPC, "one more is not kept");
	kept_drop(&kept);
	(void)snprintf(key, sizeof(key), "%064d", 0);
	ok(!kept_has(&kept, key), "nothing is found once all is dropped");
}

static bool finds(const char *line, const char *wanted)
{
	struct span found = json_find(span_of(line), "d");

	return wanted ? span_is(found, wanted) : !found.data;
}

static void test_find(void)
{
	ok(finds("{\"d\":\"ask\"}", "\"ask\""), "a field is found");
	ok(finds(" { \"a\" : 1 , \"d\" : 12 , \"e\":2}  ", "12"),
	   "also among blanks");
	ok(finds("{\"a\":{\"d\":1},\"b\":[{\"d\":2}],\"d\":[1,{\"x\":\"}\"}]}",
		 "[1,{\"x\":\"}\"}]"),
	   "but not one of an object inside");
	ok(finds("{\"a\":\"\\\",\\\"d\\\":1\",\"d\":3}", "3"),
	   "nor one in a text");
	ok(finds("{\"a\":\"d\",\"b\":\"d\"}", NULL), "nor a value");
	ok(finds("{\"\\u0064\":1}", NULL), "nor a name with an escape");
	ok(finds("{}", NULL) && finds("{ }", NULL), "nor any in no fields");
}

int main(void)
{
	test_key();
	test_kept();
	test_find();
	return tap_end();
}
