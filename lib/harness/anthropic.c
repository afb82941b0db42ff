/* SPDX-License-Identifier: ISC */
/* Messages of the Messages API. */
#include <errno.h>
#include <string.h>

#include "harness/message-call.h"
#include "record/json.h"

static int read_tool_use(struct message_call *call, struct part part,
			 struct why *why)
{
	struct use use = {
		.tool = value_string(value_field(part.value, "name")),
		.input = value_field(part.value, "input"),
		.id = call->id,
	};

	if (!use.tool || !*use.tool)
		return why_set(why, EINVAL, "it names no tool");
	return native_put(&call->native, &use, why);
}

static void refuse_tool_use(struct buf *out, struct span id, struct span reason)
{
	json_open(out);
	json_str(out, "type", span_of("tool_result"));
	json_raw(out, "tool_use_id", id);
	json_str(out, "content", reason);
	json_bool(out, "is_error", true);
	json_close(out);
}

static const struct message_kind tool_use = { "tool_use", "id", read_tool_use,
					      refuse_tool_use };

/* Blocks with tools that were used already, where the model is. */
static bool used_elsewhere(const char *type)
{
	return !strcmp(type, "server_tool_use") ||
	       !strcmp(type, "mcp_tool_use");
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text);
	size_t end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* A block that holds no call. */
static bool is_plain_block(const char *type)
{
	static const char *const types[] = {
		"text",
		"thinking",
		"redacted_thinking",
		"image",
		"document",
		"search_result",
		"tool_result",
		"mcp_tool_result",
		"web_search_tool_result",
		"web_fetch_tool_result",
		"code_execution_tool_result",
		"bash_code_execution_tool_result",
		"text_editor_code_execution_tool_result",
		"tool_search_tool_result",
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return used_elsewhere(type);
}

/* What a careless reader could take for a call. */
static bool is_alike(const char *type)
{
	return strcasestr(type, "tool") || ends_in(type, "_use");
}

/* Whether there is a call in @content, where a block can have none. */
static bool holds_call(const struct record_value *content)
{
	size_t i;

	for (i = 0; value_is_array(content) && i < value_count(content); i++) {
		const char *type =
			value_string(value_field(value_at(content, i), "type"));

		if (!type || strcasestr(type, "_use"))
			return true;
	}
	return false;
}

static int take_block(struct message *message, struct part part,
		      struct why *why)
{
	const char *type = value_string(value_field(part.value, "type"));
	const struct record_value *content = value_field(part.value, "content");

	if (!type)
		return why_set(why, EBADMSG, "a block of content has no type");
	if (!strcmp(type, tool_use.type))
		return message_add(message, &tool_use, part, why);
	if (!is_plain_block(type) &&
	    (is_alike(type) || value_is_array(content)))
		return why_set(why, EBADMSG,
			       "a block of the type '%s' is not known", type);
	if (holds_call(content))
		return why_set(why, EBADMSG,
			       "a block of the type '%s' has a call in it",
			       type);
	return 0;
}

int message_read_anthropic(struct message *message, struct span line,
			   struct why *why)
{
	struct part root = { NULL, line };
	struct part content;
	const char *type;

	if (record_read(&message->record, line, why) < 0)
		return -EBADMSG;
	root.value = record_root(&message->record);
	type = value_string(value_field(root.value, "type"));
	content = part_field(root, "content");
	if (type && !strcmp(type, tool_use.type))
		return message_add(message, &tool_use, root, why);
	if (type && strcmp(type, "message") != 0 && is_plain_block(type))
		return take_block(message, root, why);
	if (!record_has(&message->record, "role") || !content.value)
		return why_set(why, EBADMSG,
			       "it is neither a message nor a block of one");
	if (value_string(content.value))
		return 0;
	return part_each(message, content, take_block, why);
}
