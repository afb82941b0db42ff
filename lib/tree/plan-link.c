/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdlib.h>

#include "base/why.h"
#include "tree/mounts.h"
#include "tree/plan.h"
#include "tree/spot.h"

/*
 * A run that may write a directory may leave a link there, in the place of
 * what the next run is granted by that name.  Whoever reads the policy cannot
 * see where such a link leads, so that none is followed: neither on the way to
 * what is granted nor to the place where it is to stand.  The person's own
 * links, in what no sandbox writes, are.
 */

static int check_link(const struct spot_link *link, const char *path,
		      const char *by, struct why *why)
{
	const char *rest = path_below(link->path, path);

	if (!rest || !*rest)
		return 0;
	return why_set(why, ELOOP,
		       "%s: cannot follow the link '%s', which a run may have "
		       "put there, for %s makes '%s' writable; grant what it "
		       "leads to",
		       link->by, link->path, by, path);
}

static int check_all(const struct plan *plan, const char *path, const char *by,
		     struct why *why)
{
	size_t i;
	int r = 0;

	for (i = 0; i < plan->links.count && !r; i++)
		r = check_link(&plan->links.links[i], path, by, why);
	return r;
}

int plan_check_links(const struct plan *plan, const struct mounts *mounts,
		     struct why *why)
{
	const struct plan_writable *writable = plan->writables;
	const struct plan_writable *end = writable + plan->writable_count;
	char *alias;
	size_t i;
	int r = 0;

	if (!plan->links.count)
		return 0;
	for (; writable < end && !r; writable++) {
		r = check_all(plan, writable->path, writable->by, why);
		for (i = 0;
		     !r && (alias = mounts_alias(mounts, writable->path, i));
		     i++) {
			r = check_all(plan, alias, writable->by, why);
			free(alias);
		}
	}
	return r;
}
