/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_CONFINE_GEN_SHORTEN_H
#define CHOCK_CONFINE_GEN_SHORTEN_H

/*
 * gen-shorten - the same filter in fewer instructions
 *
 * A tree over numbers ends in hundreds of returns of half a dozen answers, and
 * the kernel translates each instruction when the filter is loaded, which is
 * at every start.  Part of gen-filters, which runs while chock is built.
 *
 * Invariants
 *   - Whatever the filter looks at, its answer is what it was.
 */

#include <linux/filter.h>
#include <stddef.h>

/*
 * shorten - let jumps share returns, lead past a load of what is loaded, and
 * leave out what nothing leads to
 *
 * @code, in which every path ends in a return, is changed in place.  Returns
 * how many of the @len instructions are left.
 */
size_t shorten(struct sock_filter *code, size_t len);

#endif /* CHOCK_CONFINE_GEN_SHORTEN_H */
