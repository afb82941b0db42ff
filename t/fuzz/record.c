/* SPDX-License-Identifier: ISC */
/*
 * The reader of records, and what it makes of a call of a tool.
 *
 * The input is one line.  What is answered must be a record again, with the
 * line's own bytes in it.
 */

#include "record/record.h"

#include <errno.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/why.h"
#include "call/call.h"
#include "call/reply.h"
#include "fuzz.h"
#include "policy/action.h"
#include "policy/policy.h"
#include "record/json.h"
#include "record/refusal.h"

static const char rules[] = "allow git.*\n"
			    "allow exec.path.*\n"
			    "deny exec.path.rm\n"
			    "ask net.fetch.* port 443\n"
			    "agent_review call.* agent main\n"
			    "deny any model m tool t\n";

static struct policy policy;

/* Whether @line is a record; if so, it stays what it was. */
static bool is_record(struct span line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };
	int r = record_read(&record, line, &why);

	bug_if(r != 0 && r != -EBADMSG);
	bug_if(r < 0 && !*why.text);
	bug_if(!r && !span_equal(record.line, line));
	return !r;
}

/* Whether @out is @line with something put in before its closing brace. */
static bool is_spliced(struct span out, struct span line)
{
	size_t at = line.len;
	struct span rest;

	while (line.data[at - 1] != '}')
		at--;
	/* The blanks in front of the brace stay in front of it. */
	do {
		at--;
	} while (strchr(" \t\r", line.data[at - 1]));
	rest = span_from(line, at);
	return out.len > line.len && !memcmp(out.data, line.data, at) &&
	       span_equal(span_from(out, out.len - rest.len), rest);
}

static void check_reply(const struct call *call, struct span line)
{
	autobuf struct buf fields = { 0 }, out = { 0 };
	autorecord struct record answered = { 0 };
	struct why why = { 0 };
	size_t i;

	reply_call(&fields, &policy, call, true);
	json_splice(&out, line, buf_span(&fields));
	bug_if(record_read(&answered, buf_span(&out), &why) < 0);
	bug_if(!record_has(&answered, "decision"));
	bug_if(!is_spliced(buf_span(&out), line));
	for (i = 0; i < call->count; i++)
		bug_if(call->questions[i].action.len &&
		       action_fault(call->questions[i].action));
}

static void check_refusal(const struct record *record, const struct why *why)
{
	autobuf struct buf out = { 0 };

	refusal_put(&out, record, 1, why);
	bug_if(!is_record(buf_span(&out)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const projects[] = { "/project", "/p/../q", NULL };
	struct span line = { (const char *)data, size };
	autorecord struct record record = { 0 };
	autocall struct call call = { .count = 0 };
	struct why why = { 0 };
	int r;

	if (!policy.rule_count)
		bug_if(policy_add(&policy, "rules", span_of(rules),
				  POLICY_PROJECT, NULL, &why) < 0);
	if (!is_record(line))
		return 0;
	bug_if(record_read(&record, line, &why) < 0);
	r = call_read(&call, &record, projects, &why);
	bug_if(r != 0 && r != -EINVAL);
	bug_if(!r && !call.count);
	if (!r)
		check_reply(&call, line);
	else
		check_refusal(&record, &why);
	return 0;
}
