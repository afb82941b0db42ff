/* SPDX-License-Identifier: ISC */
/* The log: what a session came to is counted from its events. */

#include <string.h>

#include "base/buf.h"
#include "log/tally.h"
#include "unit/tap.h"

static void take(struct tally *tally, const char *line)
{
	tally_line(tally, span_of(line));
}

static void test_counts(void)
{
	struct tally tally = { 0 };

	take(&tally, "{\"kind\":\"decision\",\"tool\":\"ls\","
		     "\"decision\":\"allow\"}");
	ok(!tally.calls && !tally.denied, "a yes is no call yet");
	take(&tally, "{\"kind\":\"result\",\"result\":{\"exit\":0,"
		     "\"denials\":[{},{}]}}");
	take(&tally, "{\"kind\":\"result\",\"exit\":0,\"denials\":[{}]}");
	ok(tally.calls == 2 && tally.refused == 3,
	   "a result is a call, with what the sandbox denied it");
	take(&tally, "{\"kind\":\"decision\",\"tool\":\"ls\","
		     "\"decision\":\"deny\"}");
	take(&tally, "{\"kind\":\"result\",\"result\":{\"refused\":\"no\"}}");
	ok(tally.calls == 3 && tally.denied == 1,
	   "a call that was denied is counted once");
	take(&tally, "{\"kind\":\"answer\",\"action\":\"git.push\","
		     "\"decision\":\"deny\"}");
	ok(tally.calls == 3 && tally.denied == 2, "an answer is no call");
	take(&tally, "garbage");
	ok(tally.events == 6, "what is no record is no event");
	tally_drop(&tally);
}

static void test_work(void)
{
	static const char ask[] =
		"{\"kind\":\"ask\",\"action\":\"workspace.apply\","
		"\"effect\":{\"file_count\":7}}";
	struct tally tally = { 0 };

	take(&tally, ask);
	ok(tally.asked == 1 && !tally.files, "what is asked about is not done");
	take(&tally, ask);
	take(&tally, "{\"kind\":\"workspace.integrate\"}");
	ok(tally.files == 7, "what was asked about last is what landed");
	take(&tally, "{\"kind\":\"workspace.integrate\"}");
	ok(tally.files == 7, "and lands once");
	take(&tally, "{\"kind\":\"ask\",\"action\":\"workspace.apply\","
		     "\"effect\":{\"file_count\":-1}}");
	take(&tally, "{\"kind\":\"workspace.integrate\"}");
	ok(tally.files == 7, "fewer than none are none");
	tally_drop(&tally);
}

static void test_end(void)
{
	struct tally tally = { 0 };

	take(&tally, "{\"kind\":\"session.start\",\"project\":\"/p\"}");
	ok(!strcmp(buf_str(&tally.project), "/p") && !tally.how.len,
	   "one that began has a project and no end");
	take(&tally, "{\"kind\":\"session.end\",\"exit\":3,\"how\":\"so\"}");
	ok(tally.exit == 3 && !strcmp(buf_str(&tally.how), "so"),
	   "the end says how");
	take(&tally, "{\"kind\":\"session.resume\"}");
	ok(!tally.how.len, "one that goes on has not ended");
	take(&tally, "{\"kind\":\"session.end\"}");
	ok(tally.how.len && !tally.exit, "an end that says nothing is one");
	tally_drop(&tally);
}

int main(void)
{
	test_counts();
	test_work();
	test_end();
	return tap_end();
}
