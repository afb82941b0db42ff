/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_ROUGH_H
#define CHOCK_BASE_ROUGH_H

/*
 * rough - amounts as a person reads them, rounded
 *
 * For lists and messages; who needs the number itself has a record of it.
 */

#include <stdint.h>

struct buf;

/* rough_size - "312KiB", "17MiB": @bytes, rounded up, put behind @text */
void rough_size(struct buf *text, uint64_t bytes);

/* rough_age - "90s", "3h", "2d": @seconds, rounded down, put behind @text */
void rough_age(struct buf *text, uint64_t seconds);

/* rough_plural - the ending of what there are @count of: "" of one, else "s" */
const char *rough_plural(uint64_t count);

#endif /* CHOCK_BASE_ROUGH_H */
