/* SPDX-License-Identifier: ISC */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/why.h"
#include "spec/sandbox.h"
#include "tree/plan.h"
#include "tree/spot.h"

/*
 * The working directory may be called by way of a link that no grant goes by:
 * a home that is one, a directory that was granted by its physical path.
 */

/* By the last item that it is in: in a tmpfs there is nothing yet. */
static bool is_shown(const struct plan *plan, const char *path)
{
	size_t i = plan->item_count;

	while (i--)
		if (path_below(path, plan->items[i].target))
			return plan->items[i].kind != GRANT_TMPFS;
	return false;
}

static void take_links(struct plan *plan, struct spot_links *links)
{
	struct spot_links *all = &plan->links;
	size_t i;

	for (i = 0; i < links->count; i++) {
		all->links = alloc_array(all->links, all->count,
					 sizeof(*all->links));
		all->links[all->count++] = links->links[i];
	}
	free(links->links);
	*links = (struct spot_links){ 0 };
}

void plan_workdir(struct plan *plan, const struct sandbox *sandbox)
{
	autospot struct spot spot = SPOT_NOWHERE;
	struct spot_links links = { .by = "the working directory" };
	struct why lost = { 0 };

	if (!sandbox->workdir)
		return;
	if (!spot_find(&spot, sandbox->workdir, &links, &lost) &&
	    is_shown(plan, buf_str(&spot.path)))
		take_links(plan, &links);
	spot_links_drop(&links);
}
