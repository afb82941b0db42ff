/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_FUZZ_FUZZ_H
#define CHOCK_FUZZ_FUZZ_H

/*
 * fuzz - what the targets of libFuzzer share
 *
 * A target is t/fuzz/NAME.c with one LLVMFuzzerTestOneInput(); t/fuzz/run
 * builds and runs it.  Besides what the sanitizers see, a target holds what
 * it reads to promises of the headers, by bug_if().
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bug.h"
#include "base/span.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * fuzz_part - the bytes before the next @end, cut off @rest
 *
 * Without one it is all of @rest.
 */
static inline struct span fuzz_part(struct span *rest, char end)
{
	const char *at = rest->len ? memchr(rest->data, end, rest->len) : NULL;
	struct span part = *rest;

	if (at)
		part.len = (size_t)(at - rest->data);
	*rest = span_from(*rest, part.len + (at ? 1 : 0));
	return part;
}

#endif /* CHOCK_FUZZ_FUZZ_H */
