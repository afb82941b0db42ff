/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_RECORD_UTF8_H
#define CHOCK_RECORD_UTF8_H

/*
 * utf8 - is it UTF-8, which character comes next, and can it be seen
 *
 * As RFC 3629 has it: no overlong form, no surrogate, nothing above U+10FFFF.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/*
 * utf8_next - the character that @bytes start with
 *
 * Returns how many bytes it has, 0 if they do not start with a whole one.
 */
size_t utf8_next(uint32_t *character, struct span bytes);

/* utf8_valid - whether all of @bytes is UTF-8 */
bool utf8_valid(struct span bytes);

/*
 * utf8_unseen - whether @character must not reach a terminal as it is
 *
 * It draws nothing, looks like a blank, moves the cursor, changes how its
 * neighbours are drawn, or is drawn as the font likes (private use).  U+0020
 * is the one blank that may; newline and tab are for the caller to know.
 */
bool utf8_unseen(uint32_t character);

#endif /* CHOCK_RECORD_UTF8_H */
