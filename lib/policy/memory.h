/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_MEMORY_H
#define CHOCK_POLICY_MEMORY_H

/*
 * memory - what lives for as long as its policy does
 *
 * A policy is thousands of short words that are made one after the other and
 * released all at once, so they share a few large pieces of memory.
 *
 * Invariants
 *   - A NULL pointer is a memory that holds nothing.
 *   - What was handed out never moves.
 */

#include <stddef.h>

#include "base/span.h"

/* memory_zero - @size bytes, all zero, aligned for any object */
void *memory_zero(void **memory, size_t size);

/* memory_keep - a copy of @text with a NUL put behind */
const char *memory_keep(void **memory, struct span text);

/* memory_drop - release all of it; NULL afterwards */
void memory_drop(void **memory);

#endif /* CHOCK_POLICY_MEMORY_H */
