/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_ASK_KEPT_H
#define CHOCK_ASK_KEPT_H

/*
 * kept - the questions to which a person said yes for as long as we run
 *
 * Nothing is ever written to a file.  Only whole questions are kept, as
 * digests: there is no pattern that could match more than was shown.
 *
 * Invariants
 *   - An all-zero struct remembers nothing.
 *   - At most KEPT_MAX questions are kept.
 */

#include <stdbool.h>
#include <stddef.h>

#include "digest/sha256.h"

#define KEPT_MAX 1024

#define autokept __attribute__((cleanup(kept_drop)))

struct kept {
	char (*keys)[SHA256_HEX + 1]; /* owned */
	size_t count;
};

/* kept_has - whether the question @key was answered for good */
bool kept_has(const struct kept *kept, const char *key);

/* kept_add - keep the question @key; 0, or -ENOSPC if it is full */
int kept_add(struct kept *kept, const char *key);

/* kept_drop - forget everything */
void kept_drop(struct kept *kept);

#endif /* CHOCK_ASK_KEPT_H */
