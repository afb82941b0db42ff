/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_POLICY_GLOB_H
#define CHOCK_POLICY_GLOB_H

/*
 * glob - patterns of paths
 *
 * `*` stands for any bytes but a slash, `**` for any bytes; a `**` that is a
 * whole segment and has a slash behind it also stands for no segment at all.
 * Nothing else is special.
 *
 * Invariants
 *   - What a pattern costs grows with its length times that of the path, a
 *     machine word of the path at a time, whatever the two are.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define GLOB_PATTERN_MAX ((size_t)1 << 10) /* bytes */
#define GLOB_STARS_MAX 32                  /* each byte that is one */

/* A path that is held against many patterns; all but path is zero at first. */
struct glob_path {
	struct span path; /* borrowed */
	uint64_t *rows;   /* owned; made for the first pattern that needs it */
	size_t words;     /* of a row */
};

/*
 * glob_fits - whether @pattern is a pattern of @path, behind its first @from
 * bytes, which there must be
 */
bool glob_fits(struct span pattern, struct glob_path *path, size_t from);

/*
 * glob_fits_bounded - the same, in a time that only the lengths tell
 *
 * What glob_fits() goes over to, and what tests hold it against: which patterns
 * it does that for is none of its promises.
 */
bool glob_fits_bounded(struct span pattern, struct glob_path *path,
		       size_t from);

/* glob_drop - release what was made for @path */
void glob_drop(struct glob_path *path);

/* glob_stars - how many stars @pattern has */
size_t glob_stars(struct span pattern);

/* glob_match - whether @pattern is a pattern of @path, which is asked once */
bool glob_match(struct span pattern, struct span path);

#endif /* CHOCK_POLICY_GLOB_H */
