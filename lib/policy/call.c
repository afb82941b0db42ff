/* SPDX-License-Identifier: ISC */
#include "policy/call.h"

#include <errno.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/action.h"
#include "policy/command.h"
#include "policy/host.h"
#include "policy/network.h"
#include "policy/pool.h"
#include "policy/url.h"
#include "record/record.h"

#define ATTRIBUTES (sizeof(attributes) / sizeof(*attributes))

/* What the tools of a call are read from. */
struct source {
	const struct record_value *args;
	const char *const *projects;
};

static const char *const attributes[] = {
	"port", "proto", "address", "method", "path", "websocket", "cleartext",
};

/* The text that @value is, in the call's memory; NULL for none. */
static int keep_text(struct call *call, struct span *text,
		     const struct record_value *value, const char *name,
		     struct why *why)
{
	autobuf struct buf bytes = { 0 };

	if (!value)
		return 0;
	if (value_text(&bytes, value) < 0 || !bytes.len)
		return why_set(why, EINVAL, "'%s' is not a text", name);
	*text = (struct span){ pool_keep(&call->memory, buf_span(&bytes)),
			       bytes.len };
	return 0;
}

static void set_action(struct call *call, const struct buf *action)
{
	call->questions[call->count - 1].action =
		(struct span){ pool_keep(&call->memory, buf_span(action)),
			       action->len };
}

/* One more question, by the same agent with the same tool. */
static struct question *add_question(struct call *call, const char *action)
{
	struct question *first = &call->questions[0];
	struct question *added = &call->questions[call->count++];

	added->tool = first->tool;
	added->model = first->model;
	memmove(added->chain, first->chain, sizeof(added->chain));
	added->chain_count = first->chain_count;
	added->action = span_of(action);
	return added;
}

/* Without an agent it is the one that everything starts with. */
static int read_chain(struct call *call, const struct record *record,
		      struct why *why)
{
	const struct record_value *chain = record_get(record, "agent");
	struct question *question = &call->questions[0];
	size_t count = value_count(chain);
	size_t i;
	int r = 0;

	if (!chain) {
		question->chain[question->chain_count++] = span_of("main");
		return 0;
	}
	if (!value_is_array(chain) || count > CHAIN_MAX)
		return why_set(why, EINVAL,
			       "'agent' is not a chain of at most %d agents",
			       CHAIN_MAX);
	for (i = 0; !r && i < count; i++) {
		const struct record_value *link = value_at(chain, i);

		question->chain[i] = (struct span){ "", 0 };
		if (!value_is(link, ""))
			r = keep_text(call, &question->chain[i], link, "agent",
				      why);
	}
	question->chain_count = count;
	return r;
}

/* ---- attributes --------------------------------------------------------- */

/* A number or a truth as the text that act_set() reads. */
static int plain_text(struct buf *text, const struct record_value *value)
{
	int64_t number;

	if (!value_int(&number, value)) {
		buf_addf(text, "%lld", (long long)number);
		return 0;
	}
	value_print(text, value);
	if (!strcmp(buf_str(text), "true") || !strcmp(buf_str(text), "false")) {
		bool yes = *text->data == 't';

		buf_reset(text);
		buf_adds(text, yes ? "yes" : "no");
		return 0;
	}
	buf_reset(text);
	return value_text(text, value);
}

static int read_attributes(struct call *call, struct question *question,
			   const struct record_value *from, struct why *why)
{
	size_t i;
	int r;

	for (i = 0; i < ATTRIBUTES; i++) {
		const struct record_value *value =
			value_field(from, attributes[i]);
		autobuf struct buf text = { 0 };
		struct span kept;

		if (!value)
			continue;
		if (plain_text(&text, value) < 0)
			return why_set(why, EINVAL, "'%s' is not a value",
				       attributes[i]);
		kept.data = pool_keep(&call->memory, buf_span(&text));
		kept.len = text.len;
		r = act_set(&question->act, attributes[i], kept, why);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A question, or the wish of a tool to be asked one, in @from. */
static int read_act(struct call *call, const struct record_value *from,
		    struct why *why)
{
	struct question *question = add_question(call, NULL);
	int r = keep_text(call, &question->action, value_field(from, "action"),
			  "action", why);

	if (r < 0)
		return r;
	if (!question->action.len)
		return why_set(why, EINVAL, "it names no action");
	return read_attributes(call, question, from, why);
}

/* ---- tools -------------------------------------------------------------- */

static int read_argv(struct call *call, const struct source *source,
		     const struct record_value *argv, struct why *why)
{
	struct span program = { NULL, 0 }, directory = { NULL, 0 };
	autobuf struct buf action = { 0 };
	size_t count = value_count(argv);
	size_t i;
	int r = count ? 0 : why_set(why, EINVAL, "'argv' has no program");

	for (i = 0; !r && i < count; i++) {
		autobuf struct buf word = { 0 };

		if (value_text(&word, value_at(argv, i)) < 0)
			r = why_set(why, EINVAL, "'argv' has what is no text");
	}
	if (!r)
		r = keep_text(call, &program, value_at(argv, 0), "argv", why);
	if (!r)
		r = keep_text(call, &directory,
			      value_field(source->args, "cwd"), "cwd", why);
	if (r < 0)
		return r;
	command_action(&action, program.data, directory.data, source->projects);
	(void)add_question(call, NULL);
	set_action(call, &action);
	/* What else runs, or what the loader is told, is not looked at. */
	if (!span_is(buf_span(&action), "exec.unparsed") &&
	    (value_field(source->args, "env") ||
	     (count > 1 && command_runs_others(program.data))))
		(void)add_question(call, "exec.unparsed");
	return 0;
}

static int run_command(struct call *call, const struct source *source,
		       struct why *why)
{
	const struct record_value *argv = value_field(source->args, "argv");
	const struct record_value *command =
		value_field(source->args, "command");
	struct span text = { NULL, 0 };

	if (!argv == !command)
		return why_set(why, EINVAL,
			       "run_command wants one of 'argv' and 'command'");
	if (argv && !value_is_array(argv))
		return why_set(why, EINVAL, "'argv' is not an array");
	if (argv)
		return read_argv(call, source, argv, why);
	(void)add_question(call, "exec.unparsed");
	return keep_text(call, &text, command, "command", why);
}

static int fetch_url(struct call *call, const struct source *source,
		     struct why *why)
{
	struct question *question = add_question(call, NULL);
	autobuf struct buf action = { 0 };
	struct span text = { NULL, 0 };
	struct url url;
	int r = keep_text(call, &text, value_field(source->args, "url"), "url",
			  why);

	if (!r)
		r = url_read(&url, text, why);
	if (r < 0)
		return r;
	buf_adds(&action, "net.fetch");
	question->act.has_address =
		address_read(question->act.address, url.host);
	if (question->act.has_address)
		buf_adds(&action, ".ip");
	else
		r = host_add(&action, url.host, why);
	question->act.has_port = true;
	question->act.port = url.port;
	set_action(call, &action);
	return r;
}

static int web_search(struct call *call, const struct source *source,
		      struct why *why)
{
	(void)source;
	(void)why;
	(void)add_question(call, "web.search");
	return 0;
}

static int request_action(struct call *call, const struct source *source,
			  struct why *why)
{
	return read_act(call, source->args, why);
}

static int grants_nothing(struct call *call, const struct source *source,
			  struct why *why)
{
	(void)source;
	(void)why;
	(void)add_question(call, NULL);
	return 0;
}

static int restrict_self(struct call *call, const struct source *source,
			 struct why *why)
{
	(void)call;
	(void)source;
	return why_set(why, EINVAL,
		       "this version of chock keeps no restrictions");
}

/* mcp.SERVER.TOOL */
static int mcp_tool(struct call *call, struct span name, struct why *why)
{
	struct span rest = span_from(name, strlen("mcp."));
	const char *dot = rest.len ? memchr(rest.data, '.', rest.len) : NULL;
	autobuf struct buf action = { 0 };
	size_t len = dot ? (size_t)(dot - rest.data) : 0;

	if (!len || len + 1 == rest.len)
		return why_set(why, EINVAL,
			       "the tool is not named mcp.SERVER.TOOL");
	buf_adds(&action, "mcp");
	action_add(&action, (struct span){ rest.data, len });
	buf_adds(&action, ".tool");
	action_add(&action, span_from(rest, len + 1));
	(void)add_question(call, NULL);
	set_action(call, &action);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct call *call, const struct source *source,
		    struct why *why);
} tools[] = {
	{ "run_command", run_command },
	{ "fetch_url", fetch_url },
	{ "web_search", web_search },
	{ "request_action", request_action },
	{ "restrict_self", restrict_self },
	{ "update_plan", grants_nothing },
	{ "ask_user", grants_nothing },
	{ "set_title", grants_nothing },
};

static int read_tool(struct call *call, const struct source *source,
		     struct why *why)
{
	struct span name = call->questions[0].tool;
	autobuf struct buf action = { 0 };
	size_t i;

	for (i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (span_is(name, tools[i].name))
			return tools[i].read(call, source, why);
	if (span_starts(name, "mcp."))
		return mcp_tool(call, name, why);
	buf_adds(&action, "call");
	action_add(&action, name);
	(void)add_question(call, NULL);
	set_action(call, &action);
	return 0;
}

/* ---- records ------------------------------------------------------------ */

/* What only we add, and what would change later answers. */
static int check_fields(const struct record *record, struct why *why)
{
	static const char *const ours[] = { "actions", "decision",  "rule",
					    "layer",   "backed_by", "why" };
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (record_has(record, ours[i]))
			return why_set(why, EINVAL,
				       "it has a field '%s' already", ours[i]);
	if (record_has(record, "restrict") || record_has(record, "widen"))
		return why_set(why, EINVAL,
			       "this version of chock keeps no restrictions");
	if (record_has(record, "action") == record_has(record, "tool"))
		return why_set(why, EINVAL,
			       "it wants one of 'tool' and 'action'");
	return 0;
}

static int prepare_all(struct call *call, struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; !r && i < call->count; i++)
		if (call->questions[i].action.len)
			r = decide_prepare(&call->questions[i], why);
	return r;
}

int call_read(struct call *call, const struct record *record,
	      const char *const *projects, struct why *why)
{
	struct source source = { record_get(record, "args"), projects };
	struct question *first = &call->questions[0];
	int r = check_fields(record, why);

	if (!r)
		r = read_chain(call, record, why);
	if (!r)
		r = keep_text(call, &first->model, record_get(record, "model"),
			      "model", why);
	if (!r)
		r = keep_text(call, &first->tool, record_get(record, "tool"),
			      "tool", why);
	if (r < 0)
		return r;
	if (record_has(record, "action"))
		r = read_act(call, record_root(record), why);
	else if (source.args && !value_is_object(source.args))
		r = why_set(why, EINVAL, "'args' is not an object");
	else
		r = read_tool(call, &source, why);
	return r ? r : prepare_all(call, why);
}

void call_drop(struct call *call)
{
	size_t i;

	for (i = 0; i < call->count; i++)
		decide_release(&call->questions[i]);
	pool_drop(&call->memory);
	*call = (struct call){ 0 };
}
