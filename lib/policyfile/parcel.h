/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICYFILE_PARCEL_H
#define CHOCK_POLICYFILE_PARCEL_H

/*
 * parcel - text of ours in which bytes of others are packed by their length
 *
 * What is taken and is not as it should be sets wrong, and everything taken
 * afterwards is empty, so that a reader asks once, at its end.
 *
 * Invariants
 *   - An all-zero struct with rest set is ready for use.
 *   - Once wrong is set it stays so.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct parcel {
	struct span rest; /* borrowed; not taken yet */
	bool wrong;
};

/* parcel_take - the next @len bytes */
struct span parcel_take(struct parcel *parcel, size_t len);

/* parcel_word - the bytes of the string @word, which must come next */
void parcel_word(struct parcel *parcel, const char *word);

/* parcel_size - a number of at most @max, and the byte @end behind it */
size_t parcel_size(struct parcel *parcel, char end, size_t max);

/*
 * parcel_text - @len bytes without a NUL, and the newline behind them
 *
 * Returns a string that the caller frees, or NULL.
 */
char *parcel_text(struct parcel *parcel, size_t len);

#endif /* CHOCK_POLICYFILE_PARCEL_H */
