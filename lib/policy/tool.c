/* SPDX-License-Identifier: ISC */
#include "policy/tool.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "policy/action.h"
#include "policy/call.h"
#include "policy/command.h"
#include "policy/host.h"
#include "policy/network.h"
#include "policy/url.h"
#include "record/record.h"

struct source {
	const struct record_value *args;
	const char *const *projects;
};

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
		r = call_keep_text(call, &program, value_at(argv, 0), "argv",
				   why);
	if (!r)
		r = call_keep_text(call, &directory,
				   value_field(source->args, "cwd"), "cwd",
				   why);
	if (r < 0)
		return r;
	command_action(&action, program.data, directory.data, source->projects);
	(void)call_ask(call, buf_span(&action));
	/* What else runs, or what the loader is told, is not looked at. */
	if (!span_is(buf_span(&action), "exec.unparsed") &&
	    (value_field(source->args, "env") ||
	     (count > 1 && command_runs_others(program.data))))
		(void)call_ask(call, span_of("exec.unparsed"));
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
	(void)call_ask(call, span_of("exec.unparsed"));
	return call_keep_text(call, &text, command, "command", why);
}

static int fetch_url(struct call *call, const struct source *source,
		     struct why *why)
{
	struct act act = { .has_port = true };
	autobuf struct buf action = { 0 };
	struct span text = { NULL, 0 };
	struct url url;
	int r = call_keep_text(call, &text, value_field(source->args, "url"),
			       "url", why);

	if (!r)
		r = url_read(&url, text, why);
	if (r < 0)
		return r;
	act.port = url.port;
	buf_adds(&action, "net.fetch");
	act.has_address = address_read(act.address, url.host);
	if (act.has_address)
		buf_adds(&action, ".ip");
	else
		r = host_add(&action, url.host, why);
	if (r < 0)
		return r;
	call_ask(call, buf_span(&action))->act = act;
	return 0;
}

static int web_search(struct call *call, const struct source *source,
		      struct why *why)
{
	(void)source;
	(void)why;
	(void)call_ask(call, span_of("web.search"));
	return 0;
}

static int request_action(struct call *call, const struct source *source,
			  struct why *why)
{
	return call_ask_for(call, source->args, why);
}

static int grants_nothing(struct call *call, const struct source *source,
			  struct why *why)
{
	(void)source;
	(void)why;
	(void)call_ask(call, (struct span){ NULL, 0 });
	return 0;
}

/* To narrow grants nothing; what either does is for policy/stream. */
static int restrict_self(struct call *call, const struct source *source,
			 struct why *why)
{
	if (!value_field(source->args, "widen"))
		return grants_nothing(call, source, why);
	(void)call_ask(call, span_of("policy.widen"));
	return 0;
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
	(void)call_ask(call, buf_span(&action));
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
	{ "spawn_agent", grants_nothing }, /* see policy/subagents.h */
	{ "update_plan", grants_nothing },
	{ "ask_user", grants_nothing },
	{ "set_title", grants_nothing },
};

int tool_read(struct call *call, const struct record_value *args,
	      const char *const *projects, struct why *why)
{
	const struct source source = { args, projects };
	struct span name = call->asker.tool;
	autobuf struct buf action = { 0 };
	size_t i;

	for (i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (span_is(name, tools[i].name))
			return tools[i].read(call, &source, why);
	if (span_starts(name, "mcp."))
		return mcp_tool(call, name, why);
	buf_adds(&action, "call");
	action_add(&action, name);
	(void)call_ask(call, buf_span(&action));
	return 0;
}
