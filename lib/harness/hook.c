/* SPDX-License-Identifier: ISC */
#include "harness/hook.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/why.h"
#include "record/json.h"

/* Events with a tool in them that has been used, or refused, already. */
static const char *const past[] = {
	"PostToolUse",
	"PostToolUseFailure",
	"PostToolBatch",
	"PermissionDenied",
};

static int read_event(struct hook *hook, struct why *why)
{
	const struct record_value *value =
		record_get(&hook->record, "hook_event_name");
	const char *event = value_string(value);
	size_t i;

	if (!event)
		return why_set(why, EBADMSG,
			       "the message has no 'hook_event_name'");
	if (!strcmp(event, "PreToolUse"))
		hook->event = HOOK_TOOL;
	else if (!strcmp(event, "PermissionRequest"))
		hook->event = HOOK_PERMISSION;
	if (hook->event != HOOK_OTHER)
		return 0;
	if (!strcasecmp(event, "PreToolUse") ||
	    !strcasecmp(event, "PermissionRequest"))
		return why_set(why, EBADMSG,
			       "the event '%s' is another but for its case",
			       event);
	for (i = 0; i < sizeof(past) / sizeof(*past); i++)
		if (!strcmp(event, past[i]))
			return 0;
	if (record_has(&hook->record, "tool_input"))
		return why_set(why, EBADMSG,
			       "the message is about a tool in the event '%s', "
			       "which is not known",
			       event);
	return 0;
}

/* A field that is text, or not there; @wrong keeps that one is neither. */
static const char *text_field(const struct hook *hook, const char *name,
			      bool *wrong)
{
	const struct record_value *value = record_get(&hook->record, name);
	const char *text = value_string(value);

	if (value && !text)
		*wrong = true;
	return text;
}

/*
 * A subagent has an agent_id, and its kind in agent_type.  One without a kind
 * makes a broken chain, which is denied.
 */
static int read_use(struct hook *hook, struct why *why)
{
	bool wrong = false;
	struct use use = {
		.tool = text_field(hook, "tool_name", &wrong),
		.input = record_get(&hook->record, "tool_input"),
		.id = record_get(&hook->record, "tool_use_id"),
		.cwd = text_field(hook, "cwd", &wrong),
		.agent = text_field(hook, "agent_type", &wrong),
		.model = text_field(hook, "model", &wrong),
	};
	const char *mode = text_field(hook, "permission_mode", &wrong);

	if (wrong || !use.tool || !*use.tool || !use.input)
		return why_set(why, EBADMSG,
			       "the message does not say which tool is used, "
			       "where, by whom, and with what");
	if (!use.agent && record_has(&hook->record, "agent_id"))
		use.agent = "";
	if (use.model && !*use.model)
		use.model = NULL;
	hook->denies_only = hook->event == HOOK_TOOL &&
			    record_has(&hook->record, "turn_id");
	if (hook->denies_only)
		hook->unasked = "this harness asks nobody for a hook";
	else if (mode && !strcmp(mode, "bypassPermissions"))
		hook->unasked = "nobody is asked in the mode bypassPermissions";
	return native_put(&hook->native, &use, why);
}

int hook_read(struct hook *hook, struct span text, struct why *why)
{
	int r = record_read(&hook->record, text, why);

	if (!r)
		r = read_event(hook, why);
	if (r < 0 || hook->event == HOOK_OTHER)
		return r;
	return read_use(hook, why);
}

void hook_settle(const struct hook *hook, struct ruling *ruling)
{
	if (hook->native.leaves)
		ruling_leave(ruling);
	/* A request for permission that gets no answer is put to a person. */
	if (hook->unasked && hook->event == HOOK_TOOL)
		ruling_unasked(ruling, hook->unasked);
}

static void answer_tool(struct buf *out, const struct hook *hook,
			const struct ruling *ruling)
{
	bool allows = ruling_allows(ruling);
	bool asks = ruling->answer == RULING_ASK;

	/* An `allow` would spare a person the harness's own question. */
	if (ruling->answer == RULING_DEFER || (allows && hook->denies_only))
		return;
	json_open_object(out, "hookSpecificOutput");
	json_str(out, "hookEventName", span_of("PreToolUse"));
	json_str(out, "permissionDecision",
		 span_of(allows ? "allow"
			 : asks ? "ask"
				: "deny"));
	json_str(out, "permissionDecisionReason",
		 allows ? span_of("chock allows it") : ruling_text(ruling));
	json_close_object(out);
}

static void answer_permission(struct buf *out, const struct ruling *ruling)
{
	bool allows = ruling_allows(ruling);

	if (ruling->answer == RULING_ASK || ruling->answer == RULING_DEFER)
		return;
	json_open_object(out, "hookSpecificOutput");
	json_str(out, "hookEventName", span_of("PermissionRequest"));
	json_open_object(out, "decision");
	json_str(out, "behavior", span_of(allows ? "allow" : "deny"));
	if (!allows)
		json_str(out, "message", ruling_text(ruling));
	json_close_object(out);
	json_close_object(out);
}

void hook_answer(struct buf *out, const struct hook *hook,
		 const struct ruling *ruling)
{
	json_open(out);
	if (hook->event == HOOK_TOOL)
		answer_tool(out, hook, ruling);
	else if (hook->event == HOOK_PERMISSION)
		answer_permission(out, ruling);
	json_close_line(out);
}

void hook_drop(struct hook *hook)
{
	native_drop(&hook->native);
	record_drop(&hook->record);
	*hook = (struct hook){ 0 };
}
