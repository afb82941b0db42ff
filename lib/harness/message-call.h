/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_MESSAGE_CALL_H
#define CHOCK_HARNESS_MESSAGE_CALL_H

/*
 * message-call - what the readers of messages share
 */

#include "harness/message.h"

/* A value of a message, and the bytes that it was read from. */
struct part {
	const struct record_value *value;
	struct span text;
};

struct message_kind {
	const char *type; /* the call's own word */
	const char *id;   /* the field that its result must name */
	int (*read)(struct message_call *call, struct part part,
		    struct why *why);
	void (*refuse)(struct buf *out, struct span id, struct span reason);
};

/*
 * message_add - add the call of @kind that @part is
 *
 * What only its arguments are wrong with is kept in the call.  Returns 0, or
 * -EBADMSG where nothing could be told to the model, for want of an id.
 */
int message_add(struct message *message, const struct message_kind *kind,
		struct part part, struct why *why);

/*
 * part_field - the field @name of @part
 *
 * Its text has no data if there is no such field, or one that is spelt with
 * escapes.
 */
struct part part_field(struct part part, const char *name);

/* What is done with an element; a result below 0 ends the walk. */
typedef int part_taker(struct message *message, struct part part,
		       struct why *why);

/*
 * part_each - call @take for each element of the array @part
 *
 * Returns 0, or what @take returned last.
 */
int part_each(struct message *message, struct part part, part_taker *take,
	      struct why *why);

#endif /* CHOCK_HARNESS_MESSAGE_CALL_H */
