/* SPDX-License-Identifier: ISC */
#include "tree/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/why.h"

/*
 * Places that chock fills itself.  A grant of one of them, or of "/" and
 * "/run", in which they are, would need mount points that only the host could
 * make.
 */
static const char *const reserved[] = { "/proc", "/sys", "/dev", SANDBOX_RUN };
static const char *const above_reserved[] = { "/", "/run" };

static bool is_reserved(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (path_below(path, reserved[i]))
			return true;
	return false;
}

static int check_target(const struct grant *grant, const char *target,
			struct why *why)
{
	size_t i;

	if (grant->kind == GRANT_DEVICE && path_below(target, "/dev"))
		return 0;
	if (grant->own && path_below(target, SANDBOX_RUN) &&
	    strcmp(target, SANDBOX_RUN) != 0)
		return 0;
	if (is_reserved(target))
		return why_set(why, EINVAL,
			       "%s: cannot grant '%s': chock fills it itself",
			       grant->by, target);
	for (i = 0; i < sizeof(above_reserved) / sizeof(*above_reserved); i++)
		if (!strcmp(target, above_reserved[i]) &&
		    grant->kind != GRANT_TMPFS)
			return why_set(why, EINVAL,
				       "%s: cannot grant '%s' as a whole: "
				       "grant what is in it",
				       grant->by, target);
	return 0;
}

/* The node may be another one's by now. */
static int check_device(const struct grant *grant, const struct spot *source,
			struct why *why)
{
	struct stat st;

	if (fstat(source->fd, &st) < 0)
		return why_sys(why, errno, "%s: cannot look at '%s'", grant->by,
			       grant->source);
	if (!S_ISCHR(st.st_mode) || st.st_rdev != grant->number)
		return why_set(why, ENODEV,
			       "%s: cannot grant '%s': it is no longer the "
			       "device that was found there",
			       grant->by, grant->source);
	return 0;
}

/* What is granted is what was judged, and not what is there by now. */
static int check_judged(const struct grant *grant, const struct spot *source,
			struct why *why)
{
	struct identity is;
	const int r = identity_of(&is, source->fd);

	if (r < 0)
		return why_sys(why, -r, "%s: cannot look at '%s'", grant->by,
			       grant->source);
	return identity_same(&is, &grant->is)
		       ? 0
		       : why_set(why, ESTALE,
				 "%s: cannot grant '%s': it is another file by "
				 "now than was judged",
				 grant->by, grant->source);
}

static int check_source(const struct grant *grant, const struct spot *source,
			struct why *why)
{
	if (grant->judged && check_judged(grant, source, why) < 0)
		return -why->errnum;
	if (grant->kind == GRANT_DEVICE)
		return check_device(grant, source, why);
	if (S_ISCHR(source->mode) || S_ISBLK(source->mode))
		return why_set(why, EINVAL,
			       "%s: cannot grant the device '%s' by its path: "
			       "a policy does, by what it is",
			       grant->by, grant->source);
	if (is_reserved(buf_str(&source->path)))
		return why_set(why, EINVAL,
			       "%s: cannot grant '%s', which is '%s': chock "
			       "fills it itself",
			       grant->by, grant->source,
			       buf_str(&source->path));
	return 0;
}

/* The physical path inside; what is not there yet is where it would be. */
static int find_target(struct plan *plan, const struct grant *grant,
		       const struct spot *source, char **target,
		       struct why *why)
{
	autospot struct spot spot = SPOT_NOWHERE;
	const char *path = buf_str(&source->path);
	struct why lost = { 0 };
	int r = 0;

	if (grant->target)
		r = spot_find(&spot, grant->target, &plan->links, &lost);
	if (r < 0 && r != -ENOENT) {
		*why = lost;
		return why_within(why, "%s", grant->by);
	}
	if (grant->target)
		path = buf_str(&spot.path);
	r = check_target(grant, path, why);
	*target = r < 0 ? NULL : alloc_copy(path, strlen(path));
	return r;
}

static struct plan_item *find_item(struct plan *plan, const char *target)
{
	size_t i;

	for (i = 0; i < plan->item_count; i++)
		if (!strcmp(plan->items[i].target, target))
			return &plan->items[i];
	return NULL;
}

/*
 * Two grants of one path add up if they are of the same thing; otherwise the
 * later one stands.  Takes over @item.
 */
static void merge(struct plan *plan, struct plan_item *item)
{
	struct plan_item *same = find_item(plan, item->target);

	if (same && same->source.fd >= 0 && item->source.fd >= 0 &&
	    span_equal(buf_span(&same->source.path),
		       buf_span(&item->source.path))) {
		if (same->kind == GRANT_COW || item->kind == GRANT_COW)
			item->kind = GRANT_COW;
		else if (same->kind == GRANT_WRITE)
			item->kind = GRANT_WRITE;
		item->noexec = item->noexec && same->noexec;
	}
	if (same) {
		spot_close(&same->source);
		free(same->target);
		*same = *item;
		return;
	}
	plan->items = alloc_array(plan->items, plan->item_count, sizeof(*item));
	plan->items[plan->item_count++] = *item;
}

/* Where nothing is yet, an earlier run may have removed what was there. */
static void note_writable(struct plan *plan, const struct grant *grant,
			  const struct spot *source)
{
	struct plan_writable *writable;

	plan->writables = alloc_array(plan->writables, plan->writable_count,
				      sizeof(*writable));
	writable = &plan->writables[plan->writable_count++];
	writable->path = alloc_copy(buf_str(&source->path), source->path.len);
	writable->by = grant->by;
}

/* A grant that is for other calls only says what those may have written. */
static void add_other(struct plan *plan, const struct grant *grant)
{
	autospot struct spot spot = SPOT_NOWHERE;
	struct why why = { 0 };
	int r;

	if (grant->kind != GRANT_WRITE && grant->kind != GRANT_COW)
		return;
	r = spot_find(&spot, grant->source, NULL, &why);
	if (!r || r == -ENOENT)
		note_writable(plan, grant, &spot);
}

static int add_item(struct plan *plan, const struct grant *grant,
		    struct why *why)
{
	struct plan_item item = { .source = SPOT_NOWHERE,
				  .kind = grant->kind,
				  .noexec = grant->noexec,
				  .own = grant->own,
				  .judged = grant->judged,
				  .by = grant->by };
	struct why lost = { 0 };
	int r = 0;

	plan->links.by = grant->by;
	if (grant->kind != GRANT_TMPFS)
		r = spot_find(&item.source, grant->source, &plan->links, &lost);
	if ((grant->kind == GRANT_WRITE || grant->kind == GRANT_COW) &&
	    (!r || r == -ENOENT))
		note_writable(plan, grant, &item.source);
	if (r == -ENOENT && grant->optional) {
		spot_close(&item.source);
		return 0;
	}
	if (r < 0) {
		*why = lost;
		r = why_within(why, "%s", grant->by);
	} else if (grant->kind != GRANT_TMPFS) {
		r = check_source(grant, &item.source, why);
	}
	if (!r)
		r = find_target(plan, grant, &item.source, &item.target, why);
	if (r < 0) {
		spot_close(&item.source);
		return r;
	}
	merge(plan, &item);
	return 0;
}

static int compare_items(const void *a, const void *b)
{
	return path_compare(((const struct plan_item *)a)->target,
			    ((const struct plan_item *)b)->target);
}

const struct plan_item *plan_above(const struct plan *plan, size_t before,
				   const char *target)
{
	const char *rest;

	while (before--) {
		rest = path_below(target, plan->items[before].target);
		if (rest && *rest)
			return &plan->items[before];
	}
	return NULL;
}

bool plan_is_writable(const struct plan_item *item)
{
	return item->kind == GRANT_WRITE || item->kind == GRANT_COW;
}

int plan_make(struct plan *plan, const struct sandbox *sandbox, struct why *why)
{
	const struct grant *grant = sandbox->grants;
	const struct grant *end = grant + sandbox->grant_count;
	int r = 0;

	for (; grant < end && !r; grant++)
		if (grant->other)
			add_other(plan, grant);
		else if (grant->kind != GRANT_HIDE)
			r = add_item(plan, grant, why);
	if (r < 0)
		return r;
	if (!sandbox->in_place)
		plan_accounts(plan);
	if (plan->item_count)
		qsort(plan->items, plan->item_count, sizeof(*plan->items),
		      compare_items);
	r = plan_cow(plan, why);
	if (!r)
		r = plan_cover(plan, sandbox, why);
	if (!r && !sandbox->in_place)
		plan_workdir(plan, sandbox);
	return r;
}

void plan_drop(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->item_count; i++) {
		spot_close(&plan->items[i].source);
		free(plan->items[i].target);
		free(plan->items[i].text);
	}
	for (i = 0; i < plan->cover_count; i++)
		free(plan->covers[i].path);
	for (i = 0; i < plan->writable_count; i++)
		free(plan->writables[i].path);
	free(plan->writables);
	free(plan->items);
	free(plan->covers);
	spot_links_drop(&plan->links);
	*plan = (struct plan){ 0 };
}
