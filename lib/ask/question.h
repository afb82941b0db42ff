/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_ASK_QUESTION_H
#define CHOCK_ASK_QUESTION_H

/*
 * question - what a record asks, for a person and to be kept
 *
 * Everything that the record says is part of the question: its action and
 * its rule, and each other field, of which those that are known stand last,
 * right above where the answer is typed.  Two records ask the same if they
 * say the same in all fields but those that count and name records.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "digest/sha256.h"
#include "record/record.h"

#define QUESTION_FIELDS_MAX 40 /* shown; the rest is counted */

/*
 * question_show - put @record as a person is to see it behind @text
 *
 * @columns is how wide the terminal is, @whole where all of the record can be
 * read.
 */
void question_show(struct buf *text, const struct record *record,
		   size_t columns, const char *whole);

/*
 * question_key - the digest of what @record asks
 *
 * All of the record counts but its id, seq and hash, and the order of its
 * fields does.
 */
void question_key(char key[SHA256_HEX + 1], const struct record *record);

#endif /* CHOCK_ASK_QUESTION_H */
