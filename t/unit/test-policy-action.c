/* SPDX-License-Identifier: ISC */
/* action, host, glob: one thing has one name, and a pattern no more than it
 * says */

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/action.h"
#include "policy/glob.h"
#include "policy/host.h"
#include "tap.h"

/* A small generator of numbers that are the same in every run. */
static unsigned int draw(unsigned int below)
{
	static unsigned int state = 12345;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static void any_bytes(char *bytes, size_t *len)
{
	size_t i;

	*len = 1 + draw(12);
	for (i = 0; i < *len; i++)
		bytes[i] = (char)(1 + draw(255));
}

/* Escaping is a bijection: what goes in comes out, and nothing else fits. */
static void escaping(void)
{
	bool back = true, valid = true;
	char bytes[12];
	size_t len;
	int i;

	for (i = 0; i < 5000; i++) {
		autobuf struct buf name = { 0 }, path = { 0 };

		any_bytes(bytes, &len);
		buf_adds(&name, "exec.system");
		action_add(&name, (struct span){ bytes, len });
		valid = valid && !action_fault(buf_span(&name));
		back = back && action_path(&path, buf_span(&name)) &&
		       span_equal(buf_span(&path), (struct span){ bytes, len });
	}
	ok(valid, "makes a valid component of any bytes");
	ok(back, "gives back the bytes that a component was made of");
	ok(action_fault(span_of("call.a%2F")) &&
		   action_fault(span_of("call.a%2e")) &&
		   action_fault(span_of("call.a%2")) &&
		   action_fault(span_of("call.a ")),
	   "refuses a second spelling of a name");
	ok(!action_fault(span_of("call.a%2Eb%00")), "takes an escaped byte");
}

static void spaces(void)
{
	ok(action_space(span_of("git.branch.delete")) &&
		   !action_space(span_of("git")) &&
		   !action_space(span_of("gitx.push")),
	   "knows what is below a namespace, and not the namespace");
	ok(action_space(span_of("mcp.a.tool.b")) &&
		   !action_space(span_of("mcp.a.b")) &&
		   !action_space(span_of("mcp.a.tool.b.c")),
	   "wants as many components as a form has");
	ok(action_space_above(span_of("exec")) &&
		   action_space_above(span_of("mcp.x")) &&
		   !action_space_above(span_of("exec.path.gcc")),
	   "knows which classes have something in them");
}

static const char *host(const char *name)
{
	static struct buf action;
	struct why why = { 0 };

	buf_reset(&action);
	if (host_add(&action, span_of(name), &why) < 0)
		return "-";
	return buf_str(&action);
}

static void hosts(void)
{
	char label[80];

	ok(!strcmp(host("WWW.Example.COM"), ".com.example.www"),
	   "reverses a host's name in lower case");
	ok(!strcmp(host("example.com."), ".com.example") &&
		   !strcmp(host("example.com.."), "-"),
	   "drops one dot at the end");
	ok(!strcmp(host("localhost"), ".localhost"), "takes a single label");
	ok(!strcmp(host("127.1"), "-") && !strcmp(host("2130706433"), "-") &&
		   !strcmp(host("0x7f000001"), "-") &&
		   !strcmp(host("0x7F.1"), "-") &&
		   !strcmp(host("192.0.2.1"), "-"),
	   "refuses addresses in every spelling");
	ok(!strcmp(host(""), "-") && !strcmp(host("a..b"), "-") &&
		   !strcmp(host(".a"), "-") && !strcmp(host("-a.b"), "-") &&
		   !strcmp(host("a_b.c"), "-") && !strcmp(host("ip"), "-"),
	   "refuses what is no name");
	memset(label, 'a', sizeof(label));
	label[63] = '\0';
	ok(strcmp(host(label), "-") != 0, "takes a label of 63 bytes");
	label[63] = 'a';
	label[64] = '\0';
	ok(!strcmp(host(label), "-"), "refuses a label of 64 bytes");
}

static bool fits(const char *pattern, const char *path)
{
	return glob_match(span_of(pattern), span_of(path));
}

static void globs(void)
{
	ok(fits("/a/*", "/a/b") && !fits("/a/*", "/a/b/c") &&
		   fits("/a/*", "/a/"),
	   "keeps a star within its segment");
	ok(fits("/a/**", "/a/b/c") && !fits("/a/**", "/a") &&
		   !fits("/a/**", "/ab/c"),
	   "lets two stars cross slashes");
	ok(fits("/a/**/z", "/a/z") && fits("/a/**/z", "/a/b/c/z") &&
		   !fits("/a/**/z", "/a/bz"),
	   "lets a segment of two stars stand for none");
	ok(fits("**/x", "x") && fits("**/x", "a/x") && !fits("**/x", "ax"),
	   "takes it at the start too");
	ok(fits("/*a*b", "/xaxbxb") && !fits("/*a*b", "/xaxbx"),
	   "goes back to a star");
	ok(fits("/**/b*/c", "/a/bx/d/by/c") && !fits("/**/b*/c", "/a/bx/d/c"),
	   "goes back from a star to two stars");
	ok(!fits("/a", "/a/") && !fits("/a", "/A") && fits("", ""),
	   "takes all else as it is");
}

int main(void)
{
	escaping();
	spaces();
	hosts();
	globs();
	return tap_end();
}
