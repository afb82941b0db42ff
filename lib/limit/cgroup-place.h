/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_LIMIT_CGROUP_PLACE_H
#define CHOCK_LIMIT_CGROUP_PLACE_H

/*
 * cgroup-place - where a cgroup with the controllers that we want can be made
 *
 * A cgroup that has processes in it cannot give controllers to its children
 * (but for the root), so the place is most often the cgroup above our own.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct limits;
struct why;

#define CGROUP_FILE_MAX 65536 /* bytes of a file of cgroupfs that we read */

/*
 * cgroup_place - open that directory; its children have memory and pids, and
 * with @cpu cpu as well
 *
 * @most is narrowed to what limits our own cgroup and those between it and the
 * place, for whoever stands beside them is not held by them.
 *
 * Returns the descriptor, or an error as cgroup_make() does.
 */
int cgroup_place(struct limits *most, bool cpu, struct why *why);

/*
 * cgroup_get - put the file @name of the cgroup @fd into @text
 *
 * Returns how long it is, without the newline at its end, or -errno.
 */
int cgroup_get(int fd, const char *name, char *text, size_t room);

/*
 * cgroup_point - where cgroup v2 is mounted, by the lines of mountinfo
 *
 * @root becomes which of its directories is.  Both are put, unescaped, into
 * room for PATH_MAX bytes.  Returns 0, or -ENOENT.
 */
int cgroup_point(struct span mountinfo, char *point, char *root);

/*
 * cgroup_own - the path of our own cgroup, by the lines of /proc/self/cgroup
 *
 * It is put into room for PATH_MAX bytes.  Returns 0, or -ENOENT.
 */
int cgroup_own(struct span lines, char *path);

#endif /* CHOCK_LIMIT_CGROUP_PLACE_H */
