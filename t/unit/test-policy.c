/* SPDX-License-Identifier: ISC */
/* policy: a file becomes statements, each with its place, or one error */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/policy.h"
#include "tap.h"

/* What policy_add() says to @text: its error, or "" for none. */
static const char *said(const char *text)
{
	static struct why why;
	autopolicy struct policy policy = { 0 };

	why = (struct why){ 0 };
	(void)policy_add(&policy, "f", span_of(text), POLICY_PROJECT, NULL,
			 &why);
	return why.text;
}

static void statements(void)
{
	autopolicy struct policy policy = { 0 };
	struct why why = { 0 };
	const char *text = "# a comment\n"
			   "\n"
			   "read /usr noexec # another\n"
			   "\tenv \"A=b \\\"c\\\\\"\n";
	int r = policy_add(&policy, "f", span_of(text), POLICY_PROJECT, NULL,
			   &why);

	ok(!r && policy.statement_count == 2, "reads statements");
	ok(policy.statements[0].keyword == POLICY_READ &&
		   policy.statements[0].count == 2 &&
		   !strcmp(policy.statements[0].words[1], "noexec") &&
		   !policy.statements[0].words[2],
	   "keeps the words behind the keyword");
	ok(policy.statements[1].origin.line == 4 &&
		   policy.statements[1].origin.column == 2,
	   "says where a statement was written");
	ok(!strcmp(policy.statements[1].words[0], "A=b \"c\\"),
	   "reads a quoted word");
}

static void places(void)
{
	ok(!strcmp(said("read /usr\nraed /x\n"),
		   "f:2:1: 'raed' is no statement; did you mean 'read'?"),
	   "names the nearest statement");
	ok(!strcmp(said("read /a\nread"),
		   "f:2:5: the last line does not end with a newline"),
	   "refuses a last line without its newline");
	ok(!strcmp(said("read /a\r\n"),
		   "f:1:8: a carriage return; lines end with a newline alone"),
	   "refuses carriage returns");
	ok(!strcmp(said("\xef\xbb\xbfread /a\n"),
		   "f:1:1: a byte order mark; write UTF-8 without one"),
	   "refuses a byte order mark");
	ok(!strcmp(said("read /\xff\n"), "f:1:7: bytes that are not UTF-8"),
	   "refuses bytes that are not UTF-8");
	ok(!strcmp(said("env \"A=\n"), "f:1:5: a quote that is not closed"),
	   "refuses an open quote");
}

static void paths(void)
{
	autobuf struct buf path = { 0 };
	struct why why = { 0 };

	ok(!policy_path(&path, "~/x", "/home/u", NULL, &why) &&
		   !strcmp(buf_str(&path), "/home/u/x"),
	   "puts the home directory in for ~");
	buf_reset(&path);
	ok(!policy_path(&path, "@project@", NULL, "/p", &why) &&
		   !strcmp(buf_str(&path), "/p"),
	   "puts the project in for @project@");
	ok(policy_path(&path, "@project@/x", "/h", NULL, &why) == -EINVAL,
	   "refuses @project@ where there is none");
	ok(policy_path(&path, "x/y", "/h", "/p", &why) == -EINVAL,
	   "refuses a relative path");
	ok(policy_path(&path, "/x/../y", "/h", "/p", &why) == -EINVAL,
	   "refuses '..'");
	ok(policy_path(&path, "@projectx@", "/h", "/p", &why) == -EINVAL &&
		   policy_path(&path, "~other/x", "/h", "/p", &why) == -EINVAL,
	   "knows no other variable");
}

/* A rule that nobody will ask for, of the defaults and of somebody's own. */
static void passed_over(void)
{
	static const char *const only[] = { "git", NULL };
	static const char text[] = "allow git.add\nallow lsp.*\nask any\n"
				   "net none\n";
	autopolicy struct policy policy = { .only = only };
	struct why why = { 0 };

	ok(!policy_add(&policy, "d", span_of(text), POLICY_DEFAULTS, NULL,
		       &why) &&
		   policy.rule_count == 2 && policy.statement_count == 1,
	   "passes over defaults that are not asked for, and nothing else");
	ok(!policy_add(&policy, "p", span_of(text), POLICY_PROJECT, NULL,
		       &why) &&
		   policy.rule_count == 5,
	   "keeps all rules of others");
	ok(policy_answers(&policy, span_of("git.add")) &&
		   policy_answers(&policy, span_of("git")) &&
		   !policy_answers(&policy, span_of("gitx.add")) &&
		   !policy_answers(&policy, span_of("lsp.x")),
	   "knows what can be asked");
	policy.only = NULL;
	ok(policy_answers(&policy, span_of("lsp.x")), "which may be all");
}

int main(void)
{
	passed_over();
	statements();
	places();
	paths();
	return tap_end();
}
