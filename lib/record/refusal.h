/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_RECORD_REFUSAL_H
#define CHOCK_RECORD_REFUSAL_H

/*
 * refusal - what a filter answers to a line that it refuses
 */

#include <stdint.h>

#include "base/buf.h"
#include "record/record.h"

struct why;

/*
 * refusal_put - @why, the number @line, and the id of @record if it has one
 *
 * @record is empty where the line was none.  Puts no newline.
 */
void refusal_put(struct buf *out, const struct record *record, uint64_t line,
		 const struct why *why);

#endif /* CHOCK_RECORD_REFUSAL_H */
