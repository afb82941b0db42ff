/* SPDX-License-Identifier: ISC */
/* lint: what two rules are said to have in common is held against questions,
 * and names in another script against known ones */

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "lint/cover.h"
#include "lint/lint.h"
#include "lint/punycode.h"
#include "lint/suffix.h"
#include "policy/decide.h"
#include "policy/glob.h"
#include "tap.h"

#define ROUNDS 5000
#define QUESTIONS 40
#define LINES 6

static unsigned int draw(unsigned int below)
{
	static unsigned int state = 815;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

#define PICK(array) ((array)[draw(sizeof(array) / sizeof(*(array)))])

static const char *const actions[] = { "fs.read./a", "fs.read./a/b",
				       "net.http.org.a", "net.http.org.a.b" };
static const char *const patterns[] = {
	"any",        "fs.read.*",      "fs.read./a",
	"net.http.*", "net.http.org.*", "net.http.org.a"
};
static const char *const extras[] = {
	"",
	"",
	" port 1-3",
	" port 2",
	" port 1-2,3",
	" path /a/**",
	" path /*",
	" path **/b",
	" method GET",
	" method GET,PUT",
	" to 10.0.0.0/8",
	" to 10.1.0.0/16",
	" websocket",
};
static const char *const fields[] = { "",         "",           " agent a",
				      " agent b", " agent a.*", " tool t",
				      " model m" };

static void draw_policy(struct policy *policy)
{
	autobuf struct buf text = { 0 };
	struct why why = { 0 };
	unsigned int i;

	for (i = 0; i < LINES; i++)
		buf_addf(&text, "%s %s%s%s\n", PICK(decision_words),
			 PICK(patterns), PICK(extras), PICK(fields));
	/* A line that is drawn twice is an error, and no policy of the test. */
	if (policy_add(policy, "./drawn", buf_span(&text), POLICY_PROJECT, NULL,
		       &why))
		policy_drop(policy);
}

static void draw_question(struct question *question, struct asker *asker)
{
	static const char *const agents[] = { "a", "b", "a.x" };
	struct act *act = &question->act;
	struct why why = { 0 };

	*asker = (struct asker){ .chain_count = 1 };
	asker->chain[0] = span_of(PICK(agents));
	if (draw(2))
		asker->tool = span_of("t");
	if (draw(2))
		asker->model = span_of("m");
	question->action = span_of(PICK(actions));
	question->asker = asker;
	act->has_port = draw(3) > 0;
	act->port = (uint16_t)draw(5);
	if (draw(2))
		act->method = span_of(draw(2) ? "GET" : "PUT");
	if (draw(2))
		(void)act_set(act, "address",
			      span_of(draw(2) ? "10.1.2.3" : "10.2.0.1"), &why);
	if (draw(2) && !span_starts(question->action, "fs."))
		act->path = span_of(draw(2) ? "/a/b" : "/b");
	act->websocket = draw(2);
}

static bool matches(const struct policy_rule *rule,
		    const struct question *question)
{
	return rule_field_fits(rule->action, question->action) &&
	       !decide_differs(rule, question, question->asker->chain[0]);
}

/* Whether one question contradicts what is said of the rules of @policy. */
static bool contradicts(const struct policy *policy,
			const struct question *question)
{
	size_t i, j;

	for (i = 0; i < policy->rule_count; i++)
		for (j = 0; j < policy->rule_count; j++) {
			const struct policy_rule *a = &policy->rules[i];
			const struct policy_rule *b = &policy->rules[j];
			bool of_a = matches(a, question);
			bool of_b = matches(b, question);

			if ((rule_covers(a, b) && of_b && !of_a) ||
			    (!rule_meets(a, b) && of_a && of_b))
				return true;
		}
	return false;
}

/* Whether @lint says of the rule that made @answer that it never does. */
static bool denies(const struct lint *lint, const struct answer *answer)
{
	size_t i;

	for (i = 0; answer->rule && i < lint->count; i++)
		if ((lint->findings[i].kind == LINT_NEVER_WINS ||
		     lint->findings[i].kind == LINT_NEVER_MATCHES) &&
		    lint->findings[i].origin.line == answer->rule->origin.line)
			return true;
	return false;
}

static bool round_holds(size_t *found)
{
	autopolicy struct policy policy = { 0 };
	struct suffixes suffixes = { .count = 0 };
	struct lint findings = { .count = 0 };
	bool holds = true;
	unsigned int i;

	draw_policy(&policy);
	lint(&findings, &policy, &suffixes);
	*found += findings.warnings;
	for (i = 0; holds && i < QUESTIONS; i++) {
		struct question question = { .asker = NULL };
		struct why why = { 0 };
		struct asker asker;
		struct answer answer;

		draw_question(&question, &asker);
		holds = !decide_prepare(&question, &why);
		answer = decide(&policy, &question);
		holds = holds && !contradicts(&policy, &question) &&
			!denies(&findings, &answer);
		decide_release(&question);
	}
	lint_drop(&findings);
	return holds;
}

/* Whether @wide and @narrow are as they are said to be on all short paths. */
static bool globs_hold(const char *wide, const char *narrow)
{
	bool covers = glob_covers(span_of(wide), span_of(narrow));
	char path[7];
	unsigned int number;

	for (number = 0; number < 5 * 5 * 5 * 5 * 5 * 5; number++) {
		unsigned int rest = number;
		size_t len = 0;

		for (; rest % 5; rest /= 5)
			path[len++] = "?a/b."[rest % 5];
		path[len] = '\0';
		if (glob_match(span_of(narrow), span_of(path)) &&
		    !glob_match(span_of(wide), span_of(path)))
			return !covers;
	}
	/* Nothing short is outside: then all is to be covered. */
	return covers;
}

static const char *const globs[] = {
	"**",  "*",      "**/a", "a/**",   "a/*",   "a",   "*/a", "a*",
	"**a", "**/a/*", "*a*",  "a/**/b", "a/*/b", "/**", "/*",  "**/",
};

static void test_globs(void)
{
	size_t count = sizeof(globs) / sizeof(*globs);
	size_t i;
	bool hold = true;

	for (i = 0; i < count * count; i++) {
		if (globs_hold(globs[i / count], globs[i % count]))
			continue;
		printf("# %s and %s\n", globs[i / count], globs[i % count]);
		hold = false;
	}
	ok(hold, "a pattern covers another just where no path says otherwise");
}

static void test_rules(void)
{
	size_t found = 0;
	unsigned int round;

	for (round = 0; round < ROUNDS && round_holds(&found); round++)
		continue;
	ok(round == ROUNDS, "no question contradicts what is said of rules");
	ok(found > ROUNDS, "and much is said");
}

static bool encodes(const char *label, const char *ascii)
{
	autobuf struct buf got = { 0 };
	int r = punycode_add(&got, span_of(label));

	if (r || strcmp(buf_str(&got), ascii) != 0)
		printf("# %s: %s\n", label, buf_str(&got));
	return !r && !strcmp(buf_str(&got), ascii);
}

static void test_punycode(void)
{
	char many[65];
	autobuf struct buf none = { 0 };

	ok(encodes("github", "github"), "ASCII stays as it is");
	ok(encodes("\321\200\321\204", "xn--p1ai"), "a label of one script");
	ok(encodes("b\303\274cher", "xn--bcher-kva"), "a label with ASCII");
	ok(encodes("\345\205\254\345\217\270", "xn--55qx5d"), "two ideographs");
	ok(encodes("\360\237\222\251", "xn--ls8h"), "a character above U+FFFF");
	ok(encodes("\343\201\235\343\201\256\343\202\271\343\203\224\343\203"
		   "\274\343\203\211\343\201\247",
		   "xn--d9juau41awczczp"),
	   "the last sample of RFC 3492, section 7.1");
	memset(many, 'x', sizeof(many));
	ok(punycode_add(&none, (struct span){ many, 64 }) < 0,
	   "64 characters are too many");
	ok(punycode_add(&none, span_of("\377")) < 0, "not UTF-8 is refused");
}

static enum suffix_kind kind_of(const struct suffixes *suffixes,
				const char *reversed)
{
	autobuf struct buf example = { 0 };

	return suffix_kind(suffixes, span_of(reversed), &example);
}

static void test_suffixes(void)
{
	static const char list[] = "//a\n\n*.jp.net\n!city.jp.net\nnet\r\nx.y.z"
				   " rest\n\377\nno newline";
	struct suffixes suffixes = { .count = 0 };

	suffix_open(&suffixes, span_of(list));
	ok(suffixes.count == 5, "lines that are no rule are passed over");
	ok(kind_of(&suffixes, "net") == SUFFIX_ITSELF, "a name of the list");
	ok(kind_of(&suffixes, "net.jp.a") == SUFFIX_ITSELF, "one of a star");
	ok(kind_of(&suffixes, "net.jp") == SUFFIX_BELOW, "one above a star");
	ok(kind_of(&suffixes, "net.jp.city") == SUFFIX_NONE, "an exception");
	ok(kind_of(&suffixes, "net.jp.a.b") == SUFFIX_NONE, "what is below");
	ok(kind_of(&suffixes, "z") == SUFFIX_BELOW, "what is above");
	ok(kind_of(&suffixes, "zz") == SUFFIX_NONE, "an unlisted domain");
	suffix_drop(&suffixes);
	ok(kind_of(&suffixes, "zz") == SUFFIX_ITSELF, "one without a list");
	ok(kind_of(&suffixes, "local") == SUFFIX_NONE, "a domain of one's own");
}

int main(void)
{
	test_globs();
	test_rules();
	test_punycode();
	test_suffixes();
	return tap_end();
}
