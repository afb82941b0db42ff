/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_MESSAGE_H
#define CHOCK_HARNESS_MESSAGE_H

/*
 * message - what a model says, as the programs that talk to models have it
 *
 * A message is one line: what the Chat Completions, the Responses or the
 * Messages API sends, whole, or one part of it, such as a single call.
 *
 * Invariants
 *   - The calls stand in the order in which the message has them, and their
 *     text is the message's own bytes.
 *   - What could hold a call and is not known is refused: a message without
 *     calls is one that the reader understood.
 */

#include "base/buf.h"
#include "base/span.h"
#include "base/why.h"
#include "harness/native.h"
#include "harness/ruling.h"
#include "record/record.h"

#define MESSAGE_CALLS_MAX 128

#define automessage __attribute__((cleanup(message_drop)))

struct message_kind; /* how a call of this kind is read and refused */

struct message_call {
	struct span text; /* borrowed from the line */
	const struct message_kind *kind;
	const struct record_value *id; /* borrowed from the record */
	struct native native;
	struct why why; /* errnum is set if nobody can tell what it means */
};

struct message {
	struct record record;
	struct message_call *calls; /* owned */
	size_t count;
};

/* A reader of messages; both of those below are. */
typedef int message_reader(struct message *message, struct span line,
			   struct why *why);

/*
 * message_read_openai, message_read_anthropic - read @line
 *
 * @line must outlive @message.  Returns 0 or -EBADMSG.
 */
int message_read_openai(struct message *message, struct span line,
			struct why *why);
int message_read_anthropic(struct message *message, struct span line,
			   struct why *why);

/*
 * message_refuse - the result of @call that tells the model why it was not
 * made, put behind @out, without a newline
 */
void message_refuse(struct buf *out, const struct message_call *call,
		    const struct ruling *ruling);

/* message_drop - release it; good as new afterwards */
void message_drop(struct message *message);

#endif /* CHOCK_HARNESS_MESSAGE_H */
