/* SPDX-License-Identifier: ISC */
/* Messages of the Chat Completions and the Responses API. */
#include <errno.h>
#include <string.h>

#include "harness/message-call.h"
#include "harness/openai-call.h"

static const struct message_kind *kind_of(const char *type)
{
	size_t i;

	for (i = 0; openai_kinds[i].type; i++)
		if (!strcmp(type, openai_kinds[i].type))
			return &openai_kinds[i];
	return NULL;
}

/* What a model's service did by itself, and what holds no call. */
static bool is_no_call(const char *type)
{
	static const char *const types[] = {
		"message",
		"reasoning",
		"compaction",
		"item_reference",
		"web_search_call",
		"file_search_call",
		"code_interpreter_call",
		"image_generation_call",
		"mcp_call",
		"mcp_list_tools",
		"mcp_approval_response",
		"function_call_output",
		"custom_tool_call_output",
		"local_shell_call_output",
		"shell_call_output",
		"apply_patch_call_output",
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static bool has(struct part part, const char *name)
{
	const struct record_value *value = value_field(part.value, name);

	return value && !value_is_null(value);
}

/* What a message shows or says. */
static bool is_content(const char *type)
{
	static const char *const types[] = {
		"text",           "refusal",    "output_text", "input_text",
		"summary_text",   "image_url",  "input_image", "file",
		"reasoning_text", "input_file", "input_audio", "output_audio",
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

/* Whether @part holds no call where none belongs and one could be found. */
static int check_content(struct part part, struct why *why)
{
	const struct record_value *content = value_field(part.value, "content");
	size_t i;

	if (value_is_object(content))
		return why_set(why, EBADMSG, "'content' is an object");
	for (i = 0; value_is_array(content) && i < value_count(content); i++) {
		const char *type =
			value_string(value_field(value_at(content, i), "type"));

		if (!type || !is_content(type))
			return why_set(why, EBADMSG,
				       "content of the type '%s' is not known",
				       type ? type : "");
	}
	return 0;
}

/* A call of a tool in a message of a chat, or an item of a response. */
static int take_item(struct message *message, struct part part, struct why *why)
{
	const char *type = value_string(value_field(part.value, "type"));
	const struct message_kind *kind = type ? kind_of(type) : NULL;

	if (kind)
		return message_add(message, kind, part, why);
	if (!type)
		return why_set(why, EBADMSG, "an item has no type");
	if (is_no_call(type)) {
		if (has(part, "tool_calls") || has(part, "function_call"))
			return why_set(why, EBADMSG,
				       "an item of the type '%s' has calls",
				       type);
		return check_content(part, why);
	}
	return why_set(why, EBADMSG, "an item of the type '%s' is not known",
		       type);
}

static int take_message(struct message *message, struct part part,
			struct why *why)
{
	struct part calls = part_field(part, "tool_calls");
	int r = check_content(part, why);
	const struct record_value *old =
		value_field(part.value, "function_call");

	if (r < 0)
		return r;
	if (old && !value_is_null(old))
		return why_set(why, EBADMSG,
			       "'function_call' of a message is an old form "
			       "that has no id");
	if (!calls.value || value_is_null(calls.value))
		return 0;
	return part_each(message, calls, take_item, why);
}

static int take_choice(struct message *message, struct part part,
		       struct why *why)
{
	struct part inner = part_field(part, "message");

	if (!value_is_object(inner.value) || !inner.text.data)
		return why_set(why, EBADMSG,
			       "a choice has no message; a stream must be put "
			       "together first");
	return take_message(message, inner, why);
}

int message_read_openai(struct message *message, struct span line,
			struct why *why)
{
	struct part root = { NULL, line };
	struct part choices, output;

	if (record_read(&message->record, line, why) < 0)
		return -EBADMSG;
	root.value = record_root(&message->record);
	choices = part_field(root, "choices");
	output = part_field(root, "output");
	if (choices.value && (has(root, "output") || has(root, "tool_calls") ||
			      has(root, "function_call") || has(root, "type")))
		return why_set(why, EBADMSG,
			       "it has 'choices' and what is of another form");
	if (choices.value)
		return part_each(message, choices, take_choice, why);
	/* An item has an output of its own; a response is no item. */
	if (value_is_array(output.value) &&
	    !record_has(&message->record, "type") && !has(root, "tool_calls") &&
	    !has(root, "function_call"))
		return part_each(message, output, take_item, why);
	if (record_has(&message->record, "role") && !has(root, "output") &&
	    !has(root, "type"))
		return take_message(message, root, why);
	return take_item(message, root, why);
}
