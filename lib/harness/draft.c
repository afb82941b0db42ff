/* SPDX-License-Identifier: ISC */
#include "harness/draft.h"

#include <errno.h>
#include <string.h>

#include "base/why.h"
#include "record/json.h"
#include "record/record.h"

static void add_value(struct buf *lines, const char *name,
		      const struct record_value *value)
{
	autobuf struct buf text = { 0 };

	value_print(&text, value);
	json_raw(lines, name, buf_span(&text));
}

/* Who asks; the same in every call of a use. */
static void add_asker(struct draft *draft)
{
	const struct use *use = draft->use;

	if (use->agent) {
		json_open_array(draft->lines, "agent");
		json_item(draft->lines, span_of("main"));
		json_item(draft->lines, span_of(use->agent));
		json_close_array(draft->lines);
	}
	if (use->model)
		json_str(draft->lines, "model", span_of(use->model));
	if (use->id)
		add_value(draft->lines, "id", use->id);
	json_close_line(draft->lines);
}

void draft_open(struct draft *draft, const char *tool)
{
	json_open(draft->lines);
	json_str(draft->lines, "tool", span_of(tool));
	json_open_object(draft->lines, "args");
}

void draft_close(struct draft *draft)
{
	json_close_object(draft->lines);
	add_asker(draft);
}

/* What a careless reader could take for yes is none of these. */
static bool is_off(const struct record_value *value)
{
	autobuf struct buf text = { 0 };

	value_print(&text, value);
	return !value || value_is_null(value) ||
	       span_is(buf_span(&text), "false") ||
	       span_is(buf_span(&text), "{}");
}

int draft_string(const struct draft *draft, const char *name, const char **text,
		 struct why *why)
{
	const struct record_value *value = value_field(draft->use->input, name);

	*text = value_string(value);
	if (*text || !value || value_is_null(value))
		return 0;
	return why_set(why, EINVAL, "'%s' is not a text", name);
}

void draft_path(struct draft *draft, const char *tool, const char *path)
{
	draft_open(draft, tool);
	if (path && *path)
		json_str(draft->lines, "path", span_of(path));
	if (draft->use->cwd)
		json_str(draft->lines, "cwd", span_of(draft->use->cwd));
	draft_close(draft);
}

/* ---- patches ------------------------------------------------------------ */

/* The path in a header of a patch, which ends where its line does; or none. */
static struct span header_path(struct span line)
{
	static const char *const headers[] = {
		"*** Add File:",
		"*** Update File:",
		"*** Delete File:",
		"*** Move to:",
	};
	size_t i;

	/* Some readers take blanks away on both sides. */
	while (line.len && (*line.data == ' ' || *line.data == '\t'))
		line = span_from(line, 1);
	while (line.len && strchr(" \t\r", line.data[line.len - 1]))
		line.len--;
	for (i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		if (!span_starts(line, headers[i]))
			continue;
		line = span_from(line, strlen(headers[i]));
		while (line.len && (*line.data == ' ' || *line.data == '\t'))
			line = span_from(line, 1);
		return line;
	}
	return (struct span){ NULL, 0 };
}

int draft_patch(struct draft *draft, const char *tool, const char *patch,
		struct why *why)
{
	size_t count = 0;

	while (*patch) {
		struct span line = { patch, strcspn(patch, "\n") };
		struct span path = header_path(line);
		autobuf struct buf name = { 0 };

		patch += line.len + (patch[line.len] == '\n');
		if (!path.len)
			continue;
		if (++count > NATIVE_PATHS_MAX)
			return why_set(why, EINVAL,
				       "the patch names more than %d files",
				       NATIVE_PATHS_MAX);
		buf_add(&name, path);
		draft_path(draft, tool, buf_str(&name));
	}
	if (!count)
		return why_set(why, EINVAL, "the patch names no file");
	return 0;
}

/* ---- commands ----------------------------------------------------------- */

/*
 * Whether the call wants out of the sandbox that its harness keeps: Claude
 * Code has dangerouslyDisableSandbox (and had sandbox), Codex has
 * sandbox_permissions (and had with_escalated_permissions).
 */
static bool leaves_sandbox(const struct record_value *input)
{
	const struct record_value *sandbox = value_field(input, "sandbox");
	const struct record_value *codex =
		value_field(input, "sandbox_permissions");

	return !is_off(value_field(input, "dangerouslyDisableSandbox")) ||
	       !is_off(value_field(input, "with_escalated_permissions")) ||
	       (sandbox && is_off(sandbox)) ||
	       (codex && !value_is_null(codex) &&
		!value_is(codex, "use_default"));
}

/* The one field of @names that there is, or NULL; two are an error. */
static int one_of(const struct draft *draft, const char *const names[3],
		  const struct record_value **found, struct why *why)
{
	size_t i;

	*found = NULL;
	for (i = 0; i < 3; i++) {
		const struct record_value *value =
			value_field(draft->use->input, names[i]);

		if (!value || value_is_null(value))
			continue;
		if (*found)
			return why_set(why, EINVAL,
				       "it names both '%s' and another for "
				       "the same",
				       names[i]);
		*found = value;
	}
	return 0;
}

static int add_argv(struct draft *draft, const struct record_value *argv,
		    struct why *why)
{
	size_t i;

	json_open_array(draft->lines, "argv");
	for (i = 0; i < value_count(argv); i++) {
		const char *word = value_string(value_at(argv, i));

		if (!word)
			return why_set(why, EINVAL,
				       "the command has what is no text");
		json_item(draft->lines, span_of(word));
	}
	json_close_array(draft->lines);
	return 0;
}

/* A command line, and the shell that the call names for it. */
static int add_line(struct draft *draft, const struct record_value *command,
		    struct why *why)
{
	const char *line = value_string(command);
	const char *shell;
	int r = draft_string(draft, "shell", &shell, why);

	if (!r && !line)
		r = why_set(why, EINVAL, "the command is no text");
	if (r < 0)
		return r;
	if (!shell) {
		json_str(draft->lines, "command", span_of(line));
		return 0;
	}
	json_open_array(draft->lines, "argv");
	json_item(draft->lines, span_of(shell));
	json_item(draft->lines, span_of("-c"));
	json_item(draft->lines, span_of(line));
	json_close_array(draft->lines);
	return 0;
}

/* A directory that the call names is below the one that it is made in. */
static int add_directory(struct draft *draft, struct why *why)
{
	static const char *const names[3] = { "workdir", "working_directory",
					      "cwd" };
	const struct record_value *value;
	autobuf struct buf path = { 0 };
	const char *said = NULL;
	int r = one_of(draft, names, &value, why);

	if (!r && value) {
		said = value_string(value);
		if (!said)
			r = why_set(why, EINVAL, "its directory is no text");
	}
	if (r < 0)
		return r;
	if (draft->use->cwd && (!said || *said != '/'))
		buf_adds(&path, draft->use->cwd);
	if (said && path.len)
		buf_addc(&path, '/');
	if (said)
		buf_adds(&path, said);
	if (path.len)
		json_str(draft->lines, "cwd", buf_span(&path));
	return 0;
}

int draft_command(struct draft *draft, const char *tool, struct why *why)
{
	static const char *const names[3] = { "command", "cmd", "argv" };
	const struct record_value *input = draft->use->input;
	const struct record_value *command;
	int r = one_of(draft, names, &command, why);

	if (r < 0)
		return r;
	if (!command)
		return draft_raw(draft, draft->use->tool, why);
	draft->leaves = draft->leaves || leaves_sandbox(input) ||
			!is_off(value_field(input, "user"));
	draft_open(draft, tool);
	r = value_is_array(command) ? add_argv(draft, command, why)
				    : add_line(draft, command, why);
	if (!r)
		r = add_directory(draft, why);
	if (!r && !is_off(value_field(input, "env")))
		add_value(draft->lines, "env", value_field(input, "env"));
	draft_close(draft);
	return r;
}

int draft_raw(struct draft *draft, const char *tool, struct why *why)
{
	(void)why;
	json_open(draft->lines);
	json_str(draft->lines, "tool", span_of(tool));
	if (draft->use->input)
		add_value(draft->lines, "args", draft->use->input);
	add_asker(draft);
	return 0;
}
