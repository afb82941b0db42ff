/* SPDX-License-Identifier: ISC */
/*
 * Nothing is written outside of the project and the workspace from here on,
 * also by what is started.
 *
 * git looks at each directory of a path, and then opens the path: whoever puts
 * a link in the place of one between the two has git write where that leads.
 * Landlock goes by where a file is, whatever name it was opened by.
 */
#include <errno.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "chock-workspace.h"
#include "confine/landlock.h"

/* The first with which files can be moved between directories at all. */
#define ABI_REFER 2

#define WHOLE (LANDLOCK_READ | LANDLOCK_EXEC | LANDLOCK_DEVICE)

/*
 * What of a repository may be a link to another one's.  What is not there is
 * made in what is.
 */
static int allow_parts(struct landlock *l, const char *dir, struct why *why)
{
	static const char *const parts[] = { "", "/refs", "/logs", "/objects" };
	size_t i;
	int r = 0;

	for (i = 0; !r && i < sizeof(parts) / sizeof(*parts); i++) {
		autofree char *path = alloc_text("%s%s", dir, parts[i]);

		r = landlock_allow_path(l, path, LANDLOCK_WRITE, why);
	}
	return r;
}

int keep_within(const struct space *space, const struct project *project,
		struct why *why)
{
	autolandlock struct landlock l = LANDLOCK_CLOSED;
	int r = landlock_open(&l, false, why);

	if (r == -ENOSYS || r == -EOPNOTSUPP)
		return 0;
	if (r < 0 || l.abi < ABI_REFER)
		return r;
	r = landlock_allow_path(&l, "/", WHOLE, why);
	if (!r)
		r = landlock_allow_path(&l, "/dev/null", LANDLOCK_WRITE, why);
	if (!r)
		r = landlock_allow_path(&l, space->dir, LANDLOCK_WRITE, why);
	if (!r && project)
		r = landlock_allow_path(&l, buf_str(&project->root),
					LANDLOCK_WRITE, why);
	if (!r && project)
		r = allow_parts(&l, buf_str(&project->git_dir), why);
	if (!r && project)
		r = allow_parts(&l, buf_str(&project->common_dir), why);
	return r < 0 ? r : landlock_enforce(&l, why);
}
