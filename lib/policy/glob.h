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

#include "base/span.h"

/* glob_match - whether @pattern is a pattern of @path */
bool glob_match(struct span pattern, struct span path);

#endif /* CHOCK_POLICY_GLOB_H */
