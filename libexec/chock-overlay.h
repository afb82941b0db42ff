/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_OVERLAY_H
#define CHOCK_OVERLAY_H

/*
 * chock-overlay - what its files share
 *
 * Each of these prints what it has to say, and leaves if it fails.
 */

#include "cow/cow.h"
#include "workspace/overlay.h"

/*
 * overlay_hold - open the workspace @path and hold its directory
 *
 * Returns whether a landing was cut off, which @go_on says is no mistake.
 */
bool overlay_hold(struct overlay *overlay, struct cow *cow, const char *path,
		  bool go_on);

/* overlay_apply - put what the session wrote in place, if it is @tree */
void overlay_apply(const char *path, const char *tree);

/* overlay_adopt - copy what the session wrote beside what is there */
void overlay_adopt(const char *path);

/* overlay_export - the same as a tar archive, on standard output */
void overlay_export(const char *path);

#endif /* CHOCK_OVERLAY_H */
