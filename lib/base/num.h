/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_NUM_H
#define CHOCK_BASE_NUM_H

/*
 * num - numbers out of text, and their units
 *
 * The only place where digits become a number.  Text is decimal digits and
 * nothing else: no sign, no blanks, no other base, nothing left over.
 */

#include <stdint.h>

#include "base/span.h"

/*
 * num_read - the whole of @text as a number of at most @max
 *
 * Returns 0, -EINVAL if it is not a number, -ERANGE if it is a larger one.
 */
int num_read(uint64_t *value, struct span text, uint64_t max);

/*
 * num_read_size - like num_read(), with an optional unit behind the digits
 *
 * The units are B, KiB, MiB, GiB and TiB, powers of 1024.
 */
int num_read_size(uint64_t *bytes, struct span text, uint64_t max);

/*
 * num_shorten - @bytes in the largest of those units that leaves nothing over
 *
 * Returns its name.
 */
const char *num_shorten(uint64_t *bytes);

/*
 * num_read_seconds - like num_read(), with an optional unit behind the digits
 *
 * The units are s, m, h and d; none means seconds.
 */
int num_read_seconds(uint64_t *seconds, struct span text, uint64_t max);

#endif /* CHOCK_BASE_NUM_H */
