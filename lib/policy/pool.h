/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_POOL_H
#define CHOCK_POLICY_POOL_H

/*
 * pool - what lives for as long as its policy does
 *
 * A policy is thousands of short words that are made one after the other and
 * released all at once, so they share a few large pieces of memory.
 *
 * Invariants
 *   - A NULL pointer is a pool that holds nothing.
 *   - What was handed out never moves.
 */

#include <stddef.h>

#include "base/span.h"

/* pool_zero - @size bytes, all zero, aligned for any object */
void *pool_zero(void **memory, size_t size);

/* pool_keep - a copy of @text with a NUL put behind */
const char *pool_keep(void **memory, struct span text);

/* pool_drop - release all of it; NULL afterwards */
void pool_drop(void **memory);

#endif /* CHOCK_POLICY_POOL_H */
