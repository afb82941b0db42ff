/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_HARNESS_OPENAI_CALL_H
#define CHOCK_HARNESS_OPENAI_CALL_H

/*
 * openai-call - the kinds of calls in what OpenAI's models say
 */

#include "harness/message-call.h"

/* openai_kinds - all of them; the last has no type */
extern const struct message_kind openai_kinds[];

#endif /* CHOCK_HARNESS_OPENAI_CALL_H */
