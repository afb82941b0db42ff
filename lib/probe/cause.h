/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_PROBE_CAUSE_H
#define CHOCK_PROBE_CAUSE_H

/*
 * cause - why a trial failed, and the line that mends it
 *
 * One errno stands for several causes that are mended in different ways, so
 * the settings of the kernel are asked as well.  Where nothing tells them
 * apart, the row says just what the kernel said.
 */

#include "confine/layer.h"

struct probe_row;
struct trial;

/* cause_find - fill in @row's cause and mend from what @trial of @layer met */
void cause_find(struct probe_row *row, enum layer layer,
		const struct trial *trial);

#endif /* CHOCK_PROBE_CAUSE_H */
