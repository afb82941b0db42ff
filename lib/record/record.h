/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_RECORD_RECORD_H
#define CHOCK_RECORD_RECORD_H

/*
 * record - the reading half: one line of JSON, looked at and never rewritten
 *
 * A record is one JSON object on one line; see chock-protocol(7).  What is
 * not exactly that is refused: duplicate keys, invalid UTF-8, nesting deeper
 * than RECORD_DEPTH_MAX, anything behind the object, a NUL in a string that
 * is asked for as one.
 *
 * Invariants
 *   - An all-zero struct is an empty record, with no field.
 *   - line is what was read; who adds fields splices them into these bytes
 *     (json_splice()), so that what nobody changed comes out as it came in.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct why;

#define RECORD_DEPTH_MAX 64

#define autorecord __attribute__((cleanup(record_drop)))

/* A value inside a record; lives as long as the record.  NULL is absent. */
struct record_value;

struct record {
	struct span line; /* borrowed */
	void *root;       /* owned; jansson's, and nobody else's business */
};

/*
 * record_warm_up - read now what reading the first record would
 *
 * That is a random seed, which a confined program cannot get.  Returns 0 or
 * -errno.
 */
int record_warm_up(struct why *why);

/*
 * record_read - look at the one object in @line
 *
 * @line must outlive @record, which must be empty.
 *
 * Returns 0, or -EBADMSG with the reason.
 */
int record_read(struct record *record, struct span line, struct why *why);

/* record_drop - release it; good as new afterwards */
void record_drop(struct record *record);

/* record_root - the object itself as a value */
const struct record_value *record_root(const struct record *record);

/* record_get - the field @name of the record, or NULL */
const struct record_value *record_get(const struct record *record,
				      const char *name);

/* record_has - whether the record has a field @name, of any type */
bool record_has(const struct record *record, const char *name);

/* record_is_value - whether @text is one JSON value and nothing else */
bool record_is_value(struct span text);

/* value_field - the field @name of the object @value; NULL if it is none */
const struct record_value *value_field(const struct record_value *value,
				       const char *name);

/*
 * value_each - call @visit for each field of the object @value, in the order
 * in which the record has them; for none if it is no object
 */
void value_each(const struct record_value *value,
		void (*visit)(void *context, const char *name,
			      const struct record_value *field),
		void *context);

/* value_count - how many elements the array @value has; 0 if it is none */
size_t value_count(const struct record_value *value);

/* value_at - element @index of the array @value, or NULL */
const struct record_value *value_at(const struct record_value *value,
				    size_t index);

/* value_is_array, value_is_object, value_is_null - which kind @value is; no
 * for NULL */
bool value_is_array(const struct record_value *value);
bool value_is_object(const struct record_value *value);
bool value_is_null(const struct record_value *value);

/* value_is_true - whether @value is the boolean true; no for NULL */
bool value_is_true(const struct record_value *value);

/*
 * value_bytes - what the string @value says, put behind @bytes
 *
 * Reads plain strings and {"base64":"..."}.
 *
 * Returns 0, -ENOENT for NULL, -EINVAL if it is neither of the two.
 */
int value_bytes(struct buf *bytes, const struct record_value *value);

/*
 * value_text - like value_bytes(), but bytes with a NUL are refused, so that
 * what was judged is what a system call will see
 */
int value_text(struct buf *text, const struct record_value *value);

/*
 * value_is - whether @value is the plain string @s
 */
bool value_is(const struct record_value *value, const char *s);

/* value_string - the plain string @value without a NUL in it, or NULL */
const char *value_string(const struct record_value *value);

/* value_int - the integer @value; 0, -ENOENT for NULL, -EINVAL otherwise */
int value_int(int64_t *number, const struct record_value *value);

/* value_print - @value as compact JSON, put behind @text */
void value_print(struct buf *text, const struct record_value *value);

#endif /* CHOCK_RECORD_RECORD_H */
