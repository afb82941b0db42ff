/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_AMOUNT_H
#define CHOCK_BASE_AMOUNT_H

/*
 * amount - what a tree takes on the disk
 *
 * No link is followed, no mount entered.  What cannot be looked into counts
 * for nothing, and makes the amount opaque.
 */

#include <stdbool.h>
#include <stdint.h>

struct amount {
	uint64_t bytes; /* blocks that are allocated, stat(3type) */
	bool opaque;    /* not all of it can be looked at */
	bool empty;     /* it is a directory, and nothing is in it */
};

/* amount_of - that of the tree or file @path; of nothing it is opaque */
struct amount amount_of(const char *path);

#endif /* CHOCK_BASE_AMOUNT_H */
