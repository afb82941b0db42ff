/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_BUF_H
#define CHOCK_BASE_BUF_H

/*
 * buf - bytes that grow
 *
 * A buffer owns its bytes.  Code adds to it freely and asks once, at the end,
 * whether everything fitted: what would make it longer than BUF_MAX is left
 * out and sets full, and so does everything added afterwards.
 *
 * Invariants
 *   - An all-zero struct is an empty buffer.
 *   - data is NULL, or data[len] is a NUL that len does not count.
 *   - Once full is set it stays so until buf_reset() or buf_drop().
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define BUF_MAX ((size_t)64 << 20) /* bytes */

#define autobuf __attribute__((cleanup(buf_drop)))

struct buf {
	char *data; /* owned */
	size_t len;
	size_t room;
	bool full;
};

/* buf_add - put @bytes behind what is there */
void buf_add(struct buf *b, struct span bytes);

/* buf_adds - put the string @s behind what is there */
void buf_adds(struct buf *b, const char *s);

/* buf_addc - put one byte behind what is there */
void buf_addc(struct buf *b, char c);

/*
 * buf_add_plain - put @bytes behind what is there, a '?' for each of them that
 * is no printable ASCII
 *
 * For lines that people read and that quote what somebody else chose.
 */
void buf_add_plain(struct buf *b, struct span bytes);

/* buf_addf - put formatted text behind what is there */
void buf_addf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * buf_grow - make sure that @more bytes can be written at data + len
 *
 * Returns whether they can; without room the buffer is full from then on.
 */
bool buf_grow(struct buf *b, size_t more);

/* buf_span - what is there, valid until the buffer changes */
struct span buf_span(const struct buf *b);

/* buf_str - what is there as a string; "" for an empty buffer */
const char *buf_str(const struct buf *b);

/* buf_cut - take off what is behind the first @len bytes; full stays */
void buf_cut(struct buf *b, size_t len);

/* buf_reset - empty it and keep its memory */
void buf_reset(struct buf *b);

/* buf_drop - release its memory; good as new afterwards */
void buf_drop(struct buf *b);

#endif /* CHOCK_BASE_BUF_H */
