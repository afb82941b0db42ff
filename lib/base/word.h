/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_WORD_H
#define CHOCK_BASE_WORD_H

/*
 * word - a word as a policy, and as a shell, would have it written
 *
 * What is advised can be copied to where it belongs, whatever is in it.
 */

#include "base/buf.h"
#include "base/span.h"

/* word_policy - put @word behind @b, as chock-policy(5) has it */
void word_policy(struct buf *b, struct span word);

/* word_shell - put @word behind @b in the quotes of a shell, always */
void word_shell(struct buf *b, struct span word);

#endif /* CHOCK_BASE_WORD_H */
