/* SPDX-License-Identifier: ISC */
/* chock-policy-eval as a part of a harness that does not speak our records. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/exitcode.h"
#include "base/file.h"
#include "base/line.h"
#include "base/report.h"
#include "base/span.h"
#include "base/why.h"
#include "chock-policy-eval.h"
#include "harness/hook.h"
#include "harness/message.h"
#include "harness/rpc.h"
#include "record/json.h"
#include "record/record.h"
#include "record/refusal.h"

#define autoruling __attribute__((cleanup(ruling_drop)))

/* Who gets a result instead of a call is the model, and it cannot say yes. */
#define UNASKED "nobody can be asked here"

/* What is being answered, and where the answers go. */
struct exchange {
	struct judge *judge;
	struct buf passed;
	struct buf refused;
	uint64_t number; /* of the line */
	bool good;
};

static void judge_call(struct judge *judge, struct ruling *ruling,
		       struct span line)
{
	autorecord struct record record = { 0 };
	autobuf struct buf fields = { 0 };
	autobuf struct buf answer = { 0 };
	enum policy_decision decision;
	struct why why = { 0 };
	int r = record_read(&record, line, &why);

	if (!r)
		r = judge_record(&fields, judge, &record, &decision, &why);
	if (r < 0) {
		ruling_deny(ruling, why.text);
		return;
	}
	json_open(&answer);
	buf_add(&answer, buf_span(&fields));
	json_close(&answer);
	ruling_take(ruling, buf_span(&answer));
}

/* All calls that one use of a tool comes to. */
static void judge_native(struct judge *judge, struct ruling *ruling,
			 const struct native *native)
{
	struct span rest = buf_span(&native->lines);

	while (rest.len) {
		const char *end = memchr(rest.data, '\n', rest.len);
		struct span line = { rest.data, (size_t)(end - rest.data) };

		judge_call(judge, ruling, line);
		rest = span_from(rest, line.len + 1);
	}
}

/* ---- claude-hook -------------------------------------------------------- */

int answer_hook(struct judge *judge)
{
	autobuf struct buf text = { 0 };
	autobuf struct buf out = { 0 };
	autohook struct hook hook = { .event = HOOK_OTHER };
	autoruling struct ruling ruling = { .answer = RULING_NONE };
	struct why why = { 0 };
	int r = file_read(&text, STDIN_FILENO, HOOK_BYTES_MAX, &why);

	if (!r)
		r = hook_read(&hook, buf_span(&text), &why);
	if (r < 0 && r != -EINVAL)
		die_why(&why);
	if (r < 0)
		ruling_deny(&ruling, why.text);
	else
		judge_native(judge, &ruling, &hook.native);
	hook_settle(&hook, &ruling);
	hook_answer(&out, &hook, &ruling);
	print(&out);
	hook_done();
	return EXIT_ALLOW;
}

/* ---- lines -------------------------------------------------------------- */

static void put_out(const struct exchange *exchange, struct buf *text, int fd)
{
	int r;

	if (text->full)
		die(EXIT_SYSTEM, "the answer is too long");
	r = text->len ? file_write(fd, buf_span(text)) : 0;
	if (r < 0) {
		errno = -r;
		die_errno(EXIT_SYSTEM, "cannot write the answer to line %llu",
			  (unsigned long long)exchange->number);
	}
	buf_reset(text);
}

static void drop_exchange(struct exchange *exchange)
{
	buf_drop(&exchange->passed);
	buf_drop(&exchange->refused);
}

/* Calls @answer for each line, or with no data and why it could not be read. */
static int answer_lines(struct judge *judge,
			void (*answer)(struct exchange *exchange,
				       struct span line, struct why *why))
{
	autolines struct lines lines = { .fd = STDIN_FILENO };
	int refused_fd = judge->options->refused_fd;
	struct exchange exchange = { .judge = judge, .good = true };
	struct why why = { 0 };
	struct span line;
	int r;

	while ((r = lines_next(&lines, &line, &why)) != 0) {
		if (r < 0 && r != -EFBIG && r != -EBADMSG)
			die_why(&why);
		exchange.number = lines.number;
		answer(&exchange, r < 0 ? (struct span){ NULL, 0 } : line,
		       &why);
		/* Without a descriptor of their own they come in order. */
		put_out(&exchange, &exchange.passed, STDOUT_FILENO);
		put_out(&exchange, &exchange.refused,
			refused_fd < 0 ? STDOUT_FILENO : refused_fd);
		if (r == -EBADMSG)
			break;
	}
	drop_exchange(&exchange);
	return exchange.good ? EXIT_ALLOW : EXIT_MISUSE;
}

static void put_line(struct buf *out, struct span line)
{
	buf_add(out, line);
	buf_addc(out, '\n');
}

/* ---- openai, anthropic -------------------------------------------------- */

static void answer_call(struct exchange *exchange,
			const struct message_call *call)
{
	autoruling struct ruling ruling = { .answer = RULING_NONE };
	bool apart = exchange->judge->options->refused_fd >= 0;
	struct buf *refused = apart ? &exchange->refused : &exchange->passed;

	if (call->why.errnum)
		ruling_deny(&ruling, call->why.text);
	else
		judge_native(exchange->judge, &ruling, &call->native);
	if (call->native.leaves)
		ruling_leave(&ruling);
	if (ruling_allows(&ruling) && call->text.data) {
		put_line(&exchange->passed, call->text);
		return;
	}
	ruling_unasked(&ruling, UNASKED);
	message_refuse(refused, call, &ruling);
	buf_addc(refused, '\n');
}

static void answer_message(struct exchange *exchange, struct span line,
			   struct why *why, message_reader *read)
{
	automessage struct message message = { .count = 0 };
	size_t i;

	if (!line.data || read(&message, line, why) < 0) {
		refusal_put(&exchange->refused, &message.record,
			    exchange->number, why);
		buf_addc(&exchange->refused, '\n');
		exchange->good = false;
		return;
	}
	if (!message.count)
		put_line(&exchange->passed, line);
	for (i = 0; i < message.count; i++)
		answer_call(exchange, &message.calls[i]);
}

static void answer_openai_line(struct exchange *exchange, struct span line,
			       struct why *why)
{
	answer_message(exchange, line, why, message_read_openai);
}

static void answer_anthropic_line(struct exchange *exchange, struct span line,
				  struct why *why)
{
	answer_message(exchange, line, why, message_read_anthropic);
}

int answer_openai(struct judge *judge)
{
	return answer_lines(judge, answer_openai_line);
}

int answer_anthropic(struct judge *judge)
{
	return answer_lines(judge, answer_anthropic_line);
}

/* ---- mcp ---------------------------------------------------------------- */

static void answer_rpc(struct exchange *exchange, struct span line,
		       struct why *why)
{
	autoruling struct ruling ruling = { .answer = RULING_NONE };
	autorpc struct rpc rpc = { .code = 0 };
	int r = line.data ? rpc_read(&rpc, line,
				     exchange->judge->options->server, why)
			  : rpc_read(&rpc, line, "", &(struct why){ 0 });

	if (!r && rpc.calls)
		judge_native(exchange->judge, &ruling, &rpc.native);
	if (!r && (!rpc.calls || ruling_allows(&ruling))) {
		put_line(&exchange->passed, line);
		return;
	}
	if (r < 0)
		ruling_deny(&ruling, why->text);
	if (r == -EBADMSG) {
		rpc_error(&exchange->refused, &rpc, &ruling);
		exchange->good = false;
	} else {
		ruling_unasked(&ruling, UNASKED);
		rpc_refuse(&exchange->refused, &rpc, &ruling);
	}
	buf_addc(&exchange->refused, '\n');
}

int answer_mcp(struct judge *judge)
{
	return answer_lines(judge, answer_rpc);
}
