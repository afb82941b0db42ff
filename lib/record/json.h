/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_RECORD_JSON_H
#define CHOCK_RECORD_JSON_H

/*
 * json - the writing half of a record: fields put behind one another
 *
 *	json_open(&b);
 *	json_str(&b, "path", span_of(path));
 *	json_num(&b, "exit", 37);
 *	json_close(&b);
 *
 * Bytes that are not valid UTF-8 are written as {"base64":"..."}, so that a
 * path or an argument survives whatever it holds; see chock-protocol(7).
 * Nothing here links to a JSON library: chock-spawn writes records and reads
 * none.
 *
 * Invariants
 *   - Commas are put by looking at the last byte written, so that there is no
 *     state but the buffer.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* json_open, json_close - the braces of the record itself */
void json_open(struct buf *b);
void json_close(struct buf *b);

/* json_close_line - the closing brace, and the end of the record's line */
void json_close_line(struct buf *b);

/* json_str - a field whose value is text, or bytes; see above */
void json_str(struct buf *b, const char *name, struct span value);

/* json_num, json_bool - a field with a number, with true or false */
void json_num(struct buf *b, const char *name, int64_t value);
void json_bool(struct buf *b, const char *name, bool value);

/* json_decimal - a field with a number that has @digits behind the point */
void json_decimal(struct buf *b, const char *name, double value, int digits);

/* json_raw - a field whose value is JSON already */
void json_raw(struct buf *b, const char *name, struct span value);

/* json_open_object, json_close_object - a field that is an object */
void json_open_object(struct buf *b, const char *name);
void json_close_object(struct buf *b);

/* json_open_array, json_close_array - a field that is an array */
void json_open_array(struct buf *b, const char *name);
void json_close_array(struct buf *b);

/* json_item - an element of an array, as json_str() writes it */
void json_item(struct buf *b, struct span value);

/* json_item_object - an element of an array that is an object; then
 * json_close_object() */
void json_item_object(struct buf *b);

/*
 * json_splice - the record @line with the fields in @fields added at its end
 *
 * @line is one JSON object, as record_read() accepted it; @fields is what
 * the functions above wrote without json_open() and json_close().  The bytes
 * of @line stay as they are: the fields go in before its closing brace.
 */
void json_splice(struct buf *b, struct span line, struct span fields);

/*
 * json_find - where the record @line holds the value of its field @name
 *
 * @line is as in json_splice().  Only a field of the record itself is found,
 * and only under a name that is spelt without escapes.  data is NULL in what
 * it returns if there is no such field.
 */
struct span json_find(struct span line, const char *name);

/*
 * json_next - take the first element off the array in @rest
 *
 * @rest is the bytes of an array of a record that record_read() accepted, and
 * afterwards those of what is left of it.  Returns false at its end.
 */
bool json_next(struct span *rest, struct span *element);

#endif /* CHOCK_RECORD_JSON_H */
