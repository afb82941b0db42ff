/* SPDX-License-Identifier: ISC */
/*
 * The names are those of Claude Code, of Codex, and of the tools that the
 * Messages API defines; chock-harness(7) has the table.
 */
#include "harness/native.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/why.h"
#include "harness/draft.h"
#include "record/json.h"
#include "record/record.h"

/* ---- tools that name files ---------------------------------------------- */

static const char *const path_fields[] = {
	"path",
	"file_path",
	"notebook_path",
	"dir_path",
};

/* Whoever runs it may look at any of the fields, so each is asked about. */
static int put_paths(struct draft *draft, const char *tool, struct why *why)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < sizeof(path_fields) / sizeof(*path_fields); i++) {
		const char *path;
		int r = draft_string(draft, path_fields[i], &path, why);

		if (r < 0)
			return r;
		if (path) {
			draft_path(draft, tool, path);
			count++;
		}
	}
	if (!count)
		draft_path(draft, tool, NULL);
	return 0;
}

/* What of @pattern is a directory for certain: up to the first wildcard. */
static struct span fixed_part(const char *pattern)
{
	size_t len = strcspn(pattern, "*?[{");

	while (len && pattern[len - 1] != '/')
		len--;
	return (struct span){ pattern, len };
}

/* A pattern may lead out of the directory in which it is looked for. */
static int put_pattern(struct draft *draft, const char *tool, struct why *why)
{
	autobuf struct buf above = { 0 };
	const char *pattern;
	int r = draft_string(draft, "pattern", &pattern, why);

	if (r < 0)
		return r;
	if (pattern && (strstr(pattern, "..") || strstr(pattern, "{/") ||
			strstr(pattern, ",/")))
		return why_set(why, EINVAL,
			       "'pattern' may lead elsewhere: name the "
			       "directory in full");
	if (pattern && (*pattern == '/' || *pattern == '~')) {
		buf_add(&above, fixed_part(pattern));
		draft_path(draft, tool, buf_str(&above));
	}
	return put_paths(draft, tool, why);
}

static int put_patch(struct draft *draft, const char *tool, struct why *why)
{
	const char *patch = draft->use->text;
	int r = 0;

	if (!patch)
		r = draft_string(draft, "input", &patch, why);
	if (!r && !patch)
		r = draft_string(draft, "command", &patch, why);
	if (!r && !patch)
		r = draft_string(draft, "patch", &patch, why);
	if (!r && !patch)
		r = why_set(why, EINVAL, "it has no patch");
	return r < 0 ? r : draft_patch(draft, tool, patch, why);
}

/* The editor of the Messages API has one tool for all that it does. */
static int put_editor(struct draft *draft, const char *tool, struct why *why)
{
	const char *command;
	int r = draft_string(draft, "command", &command, why);

	if (r < 0)
		return r;
	if (command && !strcmp(command, "view"))
		tool = "read_file";
	else if (command && !strcmp(command, "create"))
		tool = "write_file";
	return put_paths(draft, tool, why);
}

/* ---- other tools -------------------------------------------------------- */

static int put_url(struct draft *draft, const char *tool, struct why *why)
{
	const char *url;
	int r = draft_string(draft, "url", &url, why);

	if (r < 0)
		return r;
	draft_open(draft, tool);
	if (url)
		json_str(draft->lines, "url", span_of(url));
	draft_close(draft);
	return 0;
}

/* Arguments of which none changes what may be done. */
static int put_bare(struct draft *draft, const char *tool, struct why *why)
{
	(void)why;
	draft_open(draft, tool);
	draft_close(draft);
	return 0;
}

static int put_agent(struct draft *draft, const char *tool, struct why *why)
{
	const char *kind;
	int r = draft_string(draft, "subagent_type", &kind, why);

	if (!r && !kind)
		r = draft_string(draft, "agent_type", &kind, why);
	if (r < 0)
		return r;
	draft_open(draft, tool);
	if (kind)
		json_str(draft->lines, "agent", span_of(kind));
	draft_close(draft);
	return 0;
}

static const struct {
	const char *name;
	const char *native;
	int (*put)(struct draft *draft, const char *tool, struct why *why);
} tools[] = {
	{ "Bash", "run_command", draft_command },
	{ "bash", "run_command", draft_command },
	{ "shell", "run_command", draft_command },
	{ "container.exec", "run_command", draft_command },
	{ "local_shell", "run_command", draft_command },
	{ "exec_command", "run_command", draft_command },
	{ "shell_command", "run_command", draft_command },
	{ "Read", "read_file", put_paths },
	{ "read_file", "read_file", put_paths },
	{ "NotebookRead", "read_file", put_paths },
	{ "view_image", "read_file", put_paths },
	{ "LS", "list_directory", put_paths },
	{ "list_dir", "list_directory", put_paths },
	{ "list_directory", "list_directory", put_paths },
	{ "Glob", "find_files", put_pattern },
	{ "find_files", "find_files", put_pattern },
	{ "Grep", "search_files", put_paths },
	{ "grep_files", "search_files", put_paths },
	{ "search_files", "search_files", put_paths },
	{ "Write", "write_file", put_paths },
	{ "write_file", "write_file", put_paths },
	{ "Edit", "edit_file", put_paths },
	{ "edit_file", "edit_file", put_paths },
	{ "MultiEdit", "edit_file", put_paths },
	{ "NotebookEdit", "edit_file", put_paths },
	{ "str_replace_editor", "edit_file", put_editor },
	{ "str_replace_based_edit_tool", "edit_file", put_editor },
	{ "apply_patch", "edit_file", put_patch },
	{ "WebFetch", "fetch_url", put_url },
	{ "WebSearch", "web_search", put_bare },
	{ "Task", "spawn_agent", put_agent },
	{ "Agent", "spawn_agent", put_agent },
	{ "TodoWrite", "update_plan", put_bare },
	{ "TaskCreate", "update_plan", put_bare },
	{ "TaskUpdate", "update_plan", put_bare },
	{ "TaskGet", "update_plan", put_bare },
	{ "TaskList", "update_plan", put_bare },
	{ "AskUserQuestion", "ask_user", put_bare },
};

/* ---- MCP ---------------------------------------------------------------- */

static int put_mcp(struct draft *draft, struct span server, const char *tool,
		   struct why *why)
{
	autobuf struct buf name = { 0 };

	/* mcp.SERVER.TOOL is split at its first dot. */
	if (!server.len || memchr(server.data, '.', server.len) || !*tool)
		return why_set(why, EINVAL,
			       "'%.*s' is not the name of an MCP server and "
			       "'%s' not that of its tool",
			       (int)server.len, server.data, tool);
	buf_adds(&name, "mcp.");
	buf_add(&name, server);
	buf_addc(&name, '.');
	buf_adds(&name, tool);
	return draft_raw(draft, buf_str(&name), why);
}

/*
 * mcp__SERVER__TOOL says where SERVER ends only if there are no more than
 * these underscores.  Otherwise every reading is asked about.
 */
static int put_mcp_name(struct draft *draft, const char *rest, struct why *why)
{
	const char *at = rest;
	size_t count = 0;
	int r = 0;

	while (!r && (at = strstr(at + 1, "__"))) {
		if (!at[2])
			break;
		if (++count > NATIVE_SPLITS_MAX)
			return why_set(why, EINVAL,
				       "'mcp__%s' can be read in more than %d "
				       "ways",
				       rest, NATIVE_SPLITS_MAX);
		r = put_mcp(draft, (struct span){ rest, (size_t)(at - rest) },
			    at + 2, why);
	}
	if (!r && !count)
		r = why_set(why, EINVAL,
			    "'mcp__%s' is not named mcp__SERVER__TOOL", rest);
	return r;
}

/* ---- what is nearly a name that counts --------------------------------- */

static void look_alike(void *context, const char *name,
		       const struct record_value *field)
{
	static const char *const names[] = {
		"command",
		"cmd",
		"argv",
		"path",
		"file_path",
		"notebook_path",
		"dir_path",
		"pattern",
		"url",
		"workdir",
		"working_directory",
		"cwd",
		"shell",
		"env",
		"user",
		"input",
		"patch",
		"subagent_type",
		"agent_type",
	};
	const char **found = context;
	size_t i;

	(void)field;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(name, names[i]) && strcmp(name, names[i]) != 0)
			*found = names[i];
}

/* A field that is null may be one to who takes the first that is there. */
static bool is_vague(const struct record_value *input)
{
	static const char *const names[] = { "command", "cmd", "argv" };
	size_t count = 0;
	bool empty = false;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct record_value *value = value_field(input, names[i]);

		count += value != NULL;
		empty |= value && value_is_null(value);
	}
	return empty && count > 1;
}

static int check_fields(const struct use *use, struct why *why)
{
	const char *alike = NULL;

	if (use->input)
		value_each(use->input, look_alike, &alike);
	if (alike)
		return why_set(why, EINVAL,
			       "an argument of '%s' is '%s' but for its case",
			       use->tool, alike);
	if (is_vague(use->input))
		return why_set(
			why, EINVAL,
			"'%s' has more than one of command, cmd and argv",
			use->tool);
	return 0;
}

static int check_unknown(const struct use *use, struct why *why)
{
	size_t i;

	for (i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (!strcasecmp(use->tool, tools[i].name))
			return why_set(why, EINVAL,
				       "the tool '%s' is '%s' but for its case",
				       use->tool, tools[i].name);
	return 0;
}

int native_put(struct native *native, const struct use *use, struct why *why)
{
	struct draft draft = { &native->lines, use, false };
	bool known;
	size_t i;
	int r;

	if (use->input && !value_is_object(use->input))
		return why_set(why, EINVAL,
			       "the arguments of '%s' are not an object",
			       use->tool);
	if (use->server)
		return put_mcp(&draft, span_of(use->server), use->tool, why);
	if (!strncmp(use->tool, "mcp__", strlen("mcp__")) &&
	    use->tool[strlen("mcp__")])
		return put_mcp_name(&draft, use->tool + strlen("mcp__"), why);
	for (i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (!strcmp(use->tool, tools[i].name))
			break;
	known = i < sizeof(tools) / sizeof(*tools);
	r = known ? check_fields(use, why) : check_unknown(use, why);
	if (!r)
		r = known ? tools[i].put(&draft, tools[i].native, why)
			  : draft_raw(&draft, use->tool, why);
	native->leaves |= draft.leaves;
	return r;
}

void native_drop(struct native *native)
{
	buf_drop(&native->lines);
	*native = (struct native){ 0 };
}
