/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_ASK_MEMORY_H
#define CHOCK_ASK_MEMORY_H

/*
 * memory - the questions to which a person said yes for as long as we run
 *
 * Nothing is ever written to a file.  Only whole questions are kept, as
 * digests: there is no pattern that could match more than was shown.
 *
 * Invariants
 *   - An all-zero struct remembers nothing.
 *   - At most MEMORY_MAX questions are kept.
 */

#include <stdbool.h>
#include <stddef.h>

#include "digest/sha256.h"

#define MEMORY_MAX 1024

#define automemory __attribute__((cleanup(memory_drop)))

struct memory {
	char (*keys)[SHA256_HEX + 1]; /* owned */
	size_t count;
};

/* memory_has - whether the question @key was answered for good */
bool memory_has(const struct memory *memory, const char *key);

/* memory_add - keep the question @key; 0, or -ENOSPC if it is full */
int memory_add(struct memory *memory, const char *key);

/* memory_drop - forget everything */
void memory_drop(struct memory *memory);

#endif /* CHOCK_ASK_MEMORY_H */
