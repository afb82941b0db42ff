/* SPDX-License-Identifier: ISC */
#include "harness/openai-call.h"

#include <errno.h>
#include <string.h>

#include "record/json.h"

static const char *string_of(struct part part, const char *name)
{
	return value_string(value_field(part.value, name));
}

/* ---- reading ------------------------------------------------------------ */

/* Arguments are JSON inside of a string, and read as strictly as a record. */
static int put_named(struct message_call *call, struct part part,
		     const char *server, struct why *why)
{
	autorecord struct record arguments = { 0 };
	const char *text = string_of(part, "arguments");
	struct use use = {
		.tool = string_of(part, "name"),
		.id = call->id,
		.server = server,
	};

	if (!use.tool || !*use.tool)
		return why_set(why, EINVAL, "it names no tool");
	if (!text)
		return why_set(why, EINVAL, "its arguments are no text");
	if (*text && record_read(&arguments, span_of(text), why) < 0)
		return why_within(why, "the arguments");
	use.input = record_root(&arguments);
	return native_put(&call->native, &use, why);
}

static int read_function(struct message_call *call, struct part part,
			 struct why *why)
{
	return put_named(call, part_field(part, "function"), NULL, why);
}

static int read_function_call(struct message_call *call, struct part part,
			      struct why *why)
{
	return put_named(call, part, NULL, why);
}

static int read_approval(struct message_call *call, struct part part,
			 struct why *why)
{
	const char *server = string_of(part, "server_label");

	if (!server)
		return why_set(why, EINVAL, "it names no server");
	return put_named(call, part, server, why);
}

/* What a custom tool gets is text of a form of its own. */
static int put_custom(struct message_call *call, struct part part,
		      struct why *why)
{
	struct use use = {
		.tool = string_of(part, "name"),
		.text = string_of(part, "input"),
		.id = call->id,
	};

	if (!use.tool || !*use.tool || !use.text)
		return why_set(why, EINVAL, "it names no tool, or no input");
	return native_put(&call->native, &use, why);
}

static int read_custom(struct message_call *call, struct part part,
		       struct why *why)
{
	return put_custom(call, part_field(part, "custom"), why);
}

static int read_custom_call(struct message_call *call, struct part part,
			    struct why *why)
{
	return put_custom(call, part, why);
}

static int read_local_shell(struct message_call *call, struct part part,
			    struct why *why)
{
	const struct record_value *action = value_field(part.value, "action");
	struct use use = {
		.tool = "local_shell",
		.input = action,
		.id = call->id,
	};

	if (!value_is(value_field(action, "type"), "exec"))
		return why_set(why, EINVAL, "its action is not 'exec'");
	return native_put(&call->native, &use, why);
}

/* Several command lines, each of which is run. */
static int read_shell(struct message_call *call, struct part part,
		      struct why *why)
{
	const struct record_value *commands =
		value_field(value_field(part.value, "action"), "commands");
	size_t count = value_count(commands);
	size_t i;
	int r = 0;

	if (!count)
		return why_set(why, EINVAL, "it has no commands");
	for (i = 0; !r && i < count; i++) {
		autorecord struct record input = { 0 };
		autobuf struct buf text = { 0 };
		const char *line = value_string(value_at(commands, i));

		if (!line)
			return why_set(why, EINVAL, "a command is no text");
		json_open(&text);
		json_str(&text, "command", span_of(line));
		json_close(&text);
		r = record_read(&input, buf_span(&text), why);
		if (!r)
			r = native_put(&call->native,
				       &(struct use){
					       .tool = "shell_command",
					       .input = record_root(&input),
					       .id = call->id,
				       },
				       why);
	}
	return r;
}

/* Whether a line of @diff is of the form that heads a file's part. */
static bool has_header(const char *diff)
{
	const char *line;

	for (line = diff; *line; line += *line == '\n') {
		line += strspn(line, " \t");
		if (!strncmp(line, "*** ", 4) &&
		    strncmp(line, "*** End of File", 15) != 0)
			return true;
		line += strcspn(line, "\n");
	}
	return false;
}

/* What a patch may change beside the file that it names. */
static int put_others(struct message_call *call,
		      const struct record_value *operation, struct why *why)
{
	const struct record_value *to = value_field(operation, "move_to");
	const char *diff = value_string(value_field(operation, "diff"));
	autorecord struct record input = { 0 };
	autobuf struct buf text = { 0 };
	struct use use = { .id = call->id };
	int r = 0;

	if (to && !value_is_null(to)) {
		if (!value_string(to))
			return why_set(why, EINVAL, "'move_to' is no text");
		json_open(&text);
		json_str(&text, "path", span_of(value_string(to)));
		json_close(&text);
		r = record_read(&input, buf_span(&text), why);
		use.tool = "edit_file";
		use.input = record_root(&input);
		if (!r)
			r = native_put(&call->native, &use, why);
	}
	if (r < 0 || !diff || !has_header(diff))
		return r;
	use = (struct use){ .tool = "apply_patch",
			    .text = diff,
			    .id = call->id };
	return native_put(&call->native, &use, why);
}

static int read_patch(struct message_call *call, struct part part,
		      struct why *why)
{
	const struct record_value *operation =
		value_field(part.value, "operation");
	struct use use = {
		.tool = "edit_file",
		.input = operation,
		.id = call->id,
	};
	int r;

	if (!value_string(value_field(operation, "path")))
		return why_set(why, EINVAL, "it names no file");
	r = native_put(&call->native, &use, why);
	return r < 0 ? r : put_others(call, operation, why);
}

/* ---- refusing ----------------------------------------------------------- */

static void refuse_chat(struct buf *out, struct span id, struct span reason)
{
	json_open(out);
	json_str(out, "role", span_of("tool"));
	json_raw(out, "tool_call_id", id);
	json_str(out, "content", reason);
	json_close(out);
}

static void refuse_item(struct buf *out, const char *type, struct span id,
			struct span reason)
{
	json_open(out);
	json_str(out, "type", span_of(type));
	json_raw(out, "call_id", id);
	json_str(out, "output", reason);
	json_close(out);
}

static void refuse_function(struct buf *out, struct span id, struct span reason)
{
	refuse_item(out, "function_call_output", id, reason);
}

static void refuse_custom(struct buf *out, struct span id, struct span reason)
{
	refuse_item(out, "custom_tool_call_output", id, reason);
}

static void refuse_local_shell(struct buf *out, struct span id,
			       struct span reason)
{
	json_open(out);
	json_str(out, "type", span_of("local_shell_call_output"));
	json_raw(out, "id", id);
	json_str(out, "output", reason);
	json_close(out);
}

static void refuse_shell(struct buf *out, struct span id, struct span reason)
{
	json_open(out);
	json_str(out, "type", span_of("shell_call_output"));
	json_raw(out, "call_id", id);
	json_open_array(out, "output");
	json_item_object(out);
	json_str(out, "stdout", span_of(""));
	json_str(out, "stderr", reason);
	json_open_object(out, "outcome");
	json_str(out, "type", span_of("exit"));
	json_num(out, "exit_code", 1);
	json_close_object(out);
	json_close_object(out);
	json_close_array(out);
	json_close(out);
}

static void refuse_patch(struct buf *out, struct span id, struct span reason)
{
	json_open(out);
	json_str(out, "type", span_of("apply_patch_call_output"));
	json_raw(out, "call_id", id);
	json_str(out, "status", span_of("failed"));
	json_str(out, "output", reason);
	json_close(out);
}

static void refuse_approval(struct buf *out, struct span id, struct span reason)
{
	json_open(out);
	json_str(out, "type", span_of("mcp_approval_response"));
	json_raw(out, "approval_request_id", id);
	json_bool(out, "approve", false);
	json_str(out, "reason", reason);
	json_close(out);
}

const struct message_kind openai_kinds[] = {
	{ "function", "id", read_function, refuse_chat },
	{ "custom", "id", read_custom, refuse_chat },
	{ "function_call", "call_id", read_function_call, refuse_function },
	{ "custom_tool_call", "call_id", read_custom_call, refuse_custom },
	{ "local_shell_call", "call_id", read_local_shell, refuse_local_shell },
	{ "shell_call", "call_id", read_shell, refuse_shell },
	{ "apply_patch_call", "call_id", read_patch, refuse_patch },
	{ "mcp_approval_request", "id", read_approval, refuse_approval },
	{ .type = NULL },
};
