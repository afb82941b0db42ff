/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/why.h"
#include "spec/sandbox.h"
#include "tree/mounts.h"
#include "tree/plan.h"
#include "tree/spot.h"

/*
 * All that is written below the directory of a copy on write goes there, so
 * that no other grant may lead to the directory itself: one of the same places
 * is already what it asks for, and one under another name is an error.
 */

static const struct plan_item *find_cow(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->item_count; i++)
		if (plan->items[i].kind == GRANT_COW)
			return &plan->items[i];
	return NULL;
}

static int check_mounts(const struct plan_item *cow, struct why *why)
{
	automounts struct mounts mounts = { 0 };
	const char *path = buf_str(&cow->source.path);
	const char *rest;
	size_t i;
	int r = mounts_read(&mounts, why);

	for (i = 0; i < mounts.count && !r; i++) {
		rest = path_below(mounts.rows[i].point, path);
		if (rest && *rest)
			r = why_set(why, EBUSY,
				    "%s: a file system is mounted in '%s', at "
				    "'%s', and no copy on write goes over it",
				    cow->by, path, mounts.rows[i].point);
	}
	return r;
}

static void remove_item(struct plan *plan, size_t index)
{
	spot_close(&plan->items[index].source);
	free(plan->items[index].target);
	plan->item_count--;
	memmove(&plan->items[index], &plan->items[index + 1],
		(plan->item_count - index) * sizeof(*plan->items));
}

/* Whether @item writes to what @cow holds by its own name for it. */
static int check_item(const struct plan_item *item, const struct plan_item *cow,
		      struct why *why)
{
	const char *source = buf_str(&item->source.path);
	const char *held = buf_str(&cow->source.path);
	bool below = path_below(source, held);

	if (item->kind != GRANT_WRITE || (!below && !path_below(held, source)))
		return 0;
	if (strcmp(source, item->target) != 0)
		return why_set(why, EINVAL,
			       "%s: '%s' would be written to past the copy on "
			       "write of '%s'",
			       item->by, source, held);
	if (below && item->noexec)
		return why_set(why, EINVAL,
			       "%s: '%s' cannot be noexec in the copy on write "
			       "of '%s'",
			       item->by, source, held);
	return below;
}

int plan_cow(struct plan *plan, struct why *why)
{
	const struct plan_item *cow = find_cow(plan);
	size_t i = 0;
	int r;

	if (!cow)
		return 0;
	if (!S_ISDIR(cow->source.mode))
		return why_set(why, ENOTDIR, "%s: '%s' is no directory",
			       cow->by, buf_str(&cow->source.path));
	r = check_mounts(cow, why);
	while (!r && i < plan->item_count) {
		cow = find_cow(plan);
		r = check_item(&plan->items[i], cow, why);
		if (r > 0)
			remove_item(plan, i);
		else
			i++;
		r = r > 0 ? 0 : r;
	}
	return r;
}
