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

static int take_block(struct message *message, struct part part,
		      struct why *why)
{
	const char *type = value_string(value_field(part.value, "type"));

	if (!type)
		return why_set(why, EBADMSG, "a block of content has no type");
	if (!strcmp(type, tool_use.type))
		return message_add(message, &tool_use, part, why);
	if (ends_in(type, "_use") && !used_elsewhere(type))
		return why_set(why, EBADMSG,
			       "a block of the type '%s' is not known", type);
	return 0;
}

/* A block that stands alone and holds no call. */
static bool is_plain_block(const char *type)
{
	static const char *const types[] = { "text", "thinking",
					     "redacted_thinking" };
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return used_elsewhere(type) || ends_in(type, "_tool_result") ||
	       !strcmp(type, "tool_result");
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
		return 0;
	if (!record_has(&message->record, "role") || !content.value)
		return why_set(why, EBADMSG,
			       "it is neither a message nor a block of one");
	if (value_string(content.value))
		return 0;
	return part_each(message, content, take_block, why);
}
