/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BASE_PATH_H
#define CHOCK_BASE_PATH_H

/*
 * path - the order of paths
 */

/*
 * path_compare - as strcmp(3), but that '/' comes before every other byte
 *
 * So all that is in a directory stands right behind it.
 */
int path_compare(const char *a, const char *b);

#endif /* CHOCK_BASE_PATH_H */
