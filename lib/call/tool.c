/* SPDX-License-Identifier: ISC */
#include "call/tool.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/why.h"
#include "call/call.h"
#include "call/command.h"
#include "call/filetool.h"
#include "call/running.h"
#include "policy/action.h"
#include "policy/host.h"
#include "policy/network.h"
#include "policy/url.h"
#include "record/record.h"

struct source {
	const struct record_value *args;
	const char *const *projects;
};

/* ---- run_command -------------------------------------------------------- */

static int read_argv(const struct running *run, const struct record_value *argv,
		     struct why *why)
{
	size_t count = value_count(argv);
	autofree struct shell_word *words = alloc_zero(count, sizeof(*words));
	size_t i;

	if (!count)
		return why_set(why, EINVAL, "'argv' has no program");
	for (i = 0; i < count; i++) {
		autobuf struct buf word = { 0 };

		if (value_text(&word, value_at(argv, i)) < 0)
			return why_set(why, EINVAL,
				       "'argv' has what is no text");
		words[i] = (struct shell_word){
			.text = call_keep(run->call, buf_span(&word)),
			.known = true,
			.quoted = true,
		};
	}
	if (!words->text.len)
		return why_set(why, EINVAL, "'argv' is not a text");
	/* Alone, a program runs what it reads, which is not the call's. */
	if (count == 1)
		running_name(run, words->text);
	else
		running_words(run, words, count);
	return 0;
}

static void read_variable(void *context, const char *name,
			  const struct record_value *value)
{
	const struct running *run = context;
	autobuf struct buf text = { 0 };
	struct shell_word word = { .known = true };

	if (value_text(&text, value) < 0)
		word.known = false;
	word.text = buf_span(&text);
	running_variable(run, span_of(name), &word);
}

/* Where it runs, and with what variables. */
static int read_place(struct running *run, const struct record_value *args,
		      struct why *why)
{
	const struct record_value *env = value_field(args, "env");
	struct span directory = { NULL, 0 };
	int r = call_keep_cwd(run->call, &directory, args, why);

	if (r < 0)
		return r;
	run->directory = directory.data;
	if (directory.data &&
	    !command_in_project(directory.data, run->projects))
		running_unparsed(
			run, "a directory outside of the project%s",
			command_outside(directory.data, run->projects));
	if (value_is_object(env))
		value_each(env, read_variable, run);
	else if (env)
		running_unparsed(run, "variables that cannot be read");
	return 0;
}

static int run_command(struct call *call, const struct source *source,
		       struct why *why)
{
	const struct record_value *argv = value_field(source->args, "argv");
	const struct record_value *command =
		value_field(source->args, "command");
	struct running run = { .call = call, .projects = source->projects };
	struct span text = { NULL, 0 };
	int r;

	if (!argv == !command)
		return why_set(why, EINVAL,
			       "run_command wants one of 'argv' and 'command'");
	if (argv && !value_is_array(argv))
		return why_set(why, EINVAL, "'argv' is not an array");
	r = call_keep_text(call, &text, command, "command", why);
	if (!r)
		r = read_place(&run, source->args, why);
	if (!r && argv)
		r = read_argv(&run, argv, why);
	else if (!r)
		running_string(&run, text);
	/* A string of blanks and comments runs nothing. */
	if (!r && !call->count && !call->overflow)
		(void)call_ask(call, (struct span){ NULL, 0 });
	return r;
}

/* ---- other tools -------------------------------------------------------- */

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
	{ "spawn_agent", grants_nothing }, /* see call/subagents.h */
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
	return filetool_read(call, args, projects, why);
}
