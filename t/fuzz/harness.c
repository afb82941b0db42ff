/* SPDX-License-Identifier: ISC */
/*
 * The readers of what harnesses and models send.
 *
 * The first byte says which: h a hook's message, m a line for an MCP server, o
 * and a what a model says in the two shapes.  What they come to must be
 * records, and what is answered must be one too.
 */

#include <errno.h>

#include "base/buf.h"
#include "base/why.h"
#include "fuzz.h"
#include "harness/hook.h"
#include "harness/message.h"
#include "harness/rpc.h"
#include "record/record.h"

static void check_record(struct span line)
{
	autorecord struct record record = { 0 };
	struct why why = { 0 };

	bug_if(record_read(&record, line, &why) < 0);
}

/* Whole records, each with its newline. */
static void check_lines(const struct buf *lines)
{
	struct span rest = buf_span(lines);

	bug_if(rest.len && rest.data[rest.len - 1] != '\n');
	while (rest.len)
		check_record(fuzz_part(&rest, '\n'));
}

static void check_answer(struct buf *out)
{
	if (out->len && out->data[out->len - 1] == '\n')
		buf_cut(out, out->len - 1);
	if (out->len)
		check_record(buf_span(out));
}

static void check_result(int r, const struct why *why)
{
	bug_if(r != 0 && r != -EBADMSG && r != -EINVAL);
	bug_if(r < 0 && !*why->text);
}

static void try_hook(struct span text, struct ruling *ruling)
{
	autohook struct hook hook = { .event = HOOK_OTHER };
	autobuf struct buf out = { 0 };
	struct why why = { 0 };
	int r = hook_read(&hook, text, &why);

	check_result(r, &why);
	if (r == -EBADMSG)
		return;
	check_lines(&hook.native.lines);
	hook_settle(&hook, ruling);
	bug_if(ruling_allows(ruling));
	hook_answer(&out, &hook, ruling);
	check_answer(&out);
}

static void try_rpc(struct span text, struct ruling *ruling)
{
	autorpc struct rpc rpc = { .code = 0 };
	autobuf struct buf out = { 0 };
	struct why why = { 0 };
	int r = rpc_read(&rpc, text, "server", &why);

	check_result(r, &why);
	if (r == -EBADMSG)
		rpc_error(&out, &rpc, ruling);
	else if (rpc.calls)
		rpc_refuse(&out, &rpc, ruling);
	check_answer(&out);
	check_lines(&rpc.native.lines);
}

static void try_message(message_reader *read, struct span text,
			struct ruling *ruling)
{
	automessage struct message message = { .count = 0 };
	struct why why = { 0 };
	int r = read(&message, text, &why);
	size_t i;

	check_result(r, &why);
	for (i = 0; !r && i < message.count; i++) {
		const struct message_call *call = &message.calls[i];
		autobuf struct buf out = { 0 };

		bug_if(call->text.data < text.data ||
		       call->text.data + call->text.len > text.data + text.len);
		bug_if(!call->why.errnum && !call->native.lines.len);
		check_lines(&call->native.lines);
		message_refuse(&out, call, ruling);
		check_answer(&out);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };
	struct ruling ruling = { .answer = RULING_NONE };

	ruling_deny(&ruling, "it is a trial");
	if (span_starts(text, "h"))
		try_hook(span_from(text, 1), &ruling);
	if (span_starts(text, "m"))
		try_rpc(span_from(text, 1), &ruling);
	if (span_starts(text, "o"))
		try_message(message_read_openai, span_from(text, 1), &ruling);
	if (span_starts(text, "a"))
		try_message(message_read_anthropic, span_from(text, 1),
			    &ruling);
	ruling_drop(&ruling);
	return 0;
}
