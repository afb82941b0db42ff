/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_COW_SURVEY_H
#define CHOCK_COW_SURVEY_H

/*
 * survey - all names below a directory, and of what kind each is
 *
 * Nothing but directories is opened, no link is followed and no other file
 * system entered.  A directory that may not be read is taken for empty, as it
 * is for who is shown it; one that fails in another way ends it.
 */

#include <stdbool.h>
#include <stddef.h>

#define SURVEY_NAMES_MAX ((size_t)400000)

struct survey_name {
	int dir_fd; /* borrowed; the directory that it is in */
	const char *name;
	const char *path; /* relative to where it began */
	bool link;
};

typedef int survey_tell(void *context, const struct survey_name *name);

/*
 * survey - tell @tell of each name below @dir_fd, until it returns not 0
 *
 * Returns what @tell did; -E2BIG if there are more names than SURVEY_NAMES_MAX
 * or deeper ones than node_depth_max(); or another -errno.
 */
int survey(int dir_fd, survey_tell *tell, void *context);

#endif /* CHOCK_COW_SURVEY_H */
