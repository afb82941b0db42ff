/* SPDX-License-Identifier: ISC */
#include "harness/message.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "harness/message-call.h"
#include "record/json.h"

int message_add(struct message *message, const struct message_kind *kind,
		struct part part, struct why *why)
{
	const struct record_value *id = value_field(part.value, kind->id);
	const char *text = value_string(id);
	struct message_call *call;

	if (!text || !*text)
		return why_set(why, EBADMSG, "a call has no '%s'", kind->id);
	if (message->count == MESSAGE_CALLS_MAX)
		return why_set(why, EBADMSG, "more than %d calls",
			       MESSAGE_CALLS_MAX);
	message->calls = alloc_array(message->calls, message->count,
				     sizeof(*message->calls));
	call = &message->calls[message->count++];
	*call = (struct message_call){
		.text = part.text,
		.kind = kind,
		.id = id,
	};
	(void)kind->read(call, part, &call->why);
	return 0;
}

struct part part_field(struct part part, const char *name)
{
	struct part field = { value_field(part.value, name), { NULL, 0 } };

	if (field.value)
		field.text = json_find(part.text, name);
	return field;
}

int part_each(struct message *message, struct part part, part_taker *take,
	      struct why *why)
{
	struct span rest = part.text;
	struct span text;
	size_t i;
	int r = 0;

	if (!value_is_array(part.value) || !rest.data)
		return why_set(
			why, EBADMSG,
			"what holds its calls is no array, or is spelt with escapes");
	for (i = 0; !r && json_next(&rest, &text); i++)
		r = take(message,
			 (struct part){ value_at(part.value, i), text }, why);
	return r;
}

void message_refuse(struct buf *out, const struct message_call *call,
		    const struct ruling *ruling)
{
	autobuf struct buf id = { 0 };

	value_print(&id, call->id);
	call->kind->refuse(out, buf_span(&id), ruling_text(ruling));
}

void message_drop(struct message *message)
{
	size_t i;

	for (i = 0; i < message->count; i++)
		native_drop(&message->calls[i].native);
	free(message->calls);
	record_drop(&message->record);
	*message = (struct message){ 0 };
}
