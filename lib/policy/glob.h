/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_GLOB_H
#define CHOCK_POLICY_GLOB_H

/*
 * glob - patterns of paths
 *
 * `*` stands for any bytes but a slash, `**` for any bytes; a `**` that is a
 * whole segment and has a slash behind it also stands for no segment at all.
 * Nothing else is special.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define GLOB_PATTERN_MAX ((size_t)1 << 10) /* bytes */

/* glob_match - whether @pattern is a pattern of @path */
bool glob_match(struct span pattern, struct span path);

/*
 * glob_match_bounded - the same, in a time that only the lengths tell
 *
 * What glob_match() goes over to.  A longer pattern than GLOB_PATTERN_MAX, of
 * which there is none in a policy, matches nothing.
 */
bool glob_match_bounded(struct span pattern, struct span path);

#endif /* CHOCK_POLICY_GLOB_H */
