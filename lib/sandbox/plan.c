/* SPDX-License-Identifier: ISC */
#include "sandbox/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/why.h"
#include "sandbox/mounts.h"

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

static int check_source(const struct grant *grant, const struct spot *source,
			struct why *why)
{
	if (S_ISCHR(source->mode) || S_ISBLK(source->mode))
		return why_set(why, EINVAL,
			       "%s: cannot grant the device '%s': this build "
			       "grants no devices",
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
	int r = 0;

	if (grant->target)
		r = spot_find(&spot, grant->target, &plan->links, why);
	if (r < 0 && r != -ENOENT)
		return why_within(why, "%s", grant->by);
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
		if (same->kind == GRANT_WRITE)
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

static int add_item(struct plan *plan, const struct grant *grant,
		    struct why *why)
{
	struct plan_item item = { .source = SPOT_NOWHERE,
				  .kind = grant->kind,
				  .noexec = grant->noexec,
				  .own = grant->own,
				  .by = grant->by };
	int r = 0;

	if (grant->kind != GRANT_TMPFS)
		r = spot_find(&item.source, grant->source, &plan->links, why);
	if (r == -ENOENT && grant->optional) {
		spot_close(&item.source);
		return 0;
	}
	if (r < 0)
		r = why_within(why, "%s", grant->by);
	else if (grant->kind != GRANT_TMPFS)
		r = check_source(grant, &item.source, why);
	if (!r)
		r = find_target(plan, grant, &item.source, &item.target, why);
	if (r < 0) {
		spot_close(&item.source);
		return r;
	}
	merge(plan, &item);
	return 0;
}

/* As strcmp(), but '/' comes first, so that a tree stays together. */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a == *b)
		return 0;
	if (!*a || !*b)
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

static int compare_items(const void *a, const void *b)
{
	return compare_paths(((const struct plan_item *)a)->target,
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

static void add_cover(struct plan *plan, const char *dir, const char *rest,
		      bool pin)
{
	struct plan_cover *cover;

	plan->covers =
		alloc_array(plan->covers, plan->cover_count, sizeof(*cover));
	cover = &plan->covers[plan->cover_count++];
	cover->path = *rest ? alloc_text("%s/%s", dir, rest)
			    : alloc_copy(dir, strlen(dir));
	cover->below = strlen(dir);
	cover->pin = pin;
}

/* Covers the host's @path wherever an item shows it. */
static void cover_path(struct plan *plan, const char *path)
{
	const struct plan_item *item;
	const char *source, *rest;
	size_t i;

	for (i = 0; i < plan->item_count; i++) {
		item = &plan->items[i];
		source = buf_str(&item->source.path);
		if (!*source)
			continue;
		rest = path_below(path, source);
		if (!rest && path_below(source, path))
			rest = "";
		if (rest)
			add_cover(plan, item->target, rest,
				  item->kind == GRANT_WRITE);
	}
}

/*
 * A hidden path is hidden under the name that it has inside, and under every
 * other one that an item, or another mount of the same place, gives to it.
 */
static int add_hidden(struct plan *plan, const struct grant *grant,
		      const struct mounts *mounts, struct why *why)
{
	autospot struct spot spot = SPOT_NOWHERE;
	char *alias;
	size_t i;
	int r;

	r = spot_find(&spot, grant->source, NULL, why);
	if (r < 0 && r != -ENOENT)
		return why_within(why, "%s", grant->by);
	add_cover(plan, grant->source, "", false);
	cover_path(plan, buf_str(&spot.path));
	for (i = 0; (alias = mounts_alias(mounts, buf_str(&spot.path), i));
	     i++) {
		cover_path(plan, alias);
		free(alias);
	}
	return 0;
}

/*
 * A file system of the kernel's shows and lets change what is no file: below a
 * grant it is covered, and as a grant refused.
 */
static int add_kernel(struct plan *plan, const struct mounts *mounts,
		      struct why *why)
{
	const struct plan_item *item;
	const struct mount *row;
	const char *rest;
	size_t i, j;

	for (j = 0; j < mounts->count; j++) {
		row = &mounts->rows[j];
		for (i = 0; row->kernel && i < plan->item_count; i++) {
			item = &plan->items[i];
			if (item->source.fd < 0)
				continue;
			rest = path_below(row->point,
					  buf_str(&item->source.path));
			if (rest && *rest)
				add_cover(plan, item->target, rest,
					  item->kind == GRANT_WRITE);
			else if (path_below(buf_str(&item->source.path),
					    row->point))
				return why_set(
					why, EINVAL,
					"%s: cannot grant '%s': it is in a "
					"file system of the kernel's",
					item->by, buf_str(&item->source.path));
		}
	}
	return 0;
}

static const struct plan_item *writable_above(const struct plan *plan,
					      const char *path)
{
	const struct plan_item *item = plan->items;
	const struct plan_item *end = item + plan->item_count;
	const char *rest;

	for (; item < end; item++) {
		rest = item->kind == GRANT_WRITE
			       ? path_below(path, buf_str(&item->source.path))
			       : NULL;
		if (rest && *rest)
			return item;
	}
	return NULL;
}

/*
 * A writable grant above a directory of chock's that is not there could make
 * it, and write what the next run would believe.  Another run may make it
 * first; what is there then is looked at again.
 */
static int hold_missing(const struct plan *plan, const struct own_dir *own,
			struct spot *spot, struct why *why)
{
	const struct plan_item *item =
		writable_above(plan, buf_str(&spot->path));

	if (spot->fd >= 0 || !item)
		return 0;
	if (own->make &&
	    (!mkdir(buf_str(&spot->path), 0700) || errno == EEXIST)) {
		spot_close(spot);
		return spot_find(spot, own->path, NULL, why);
	}
	return why_set(why, ENOENT,
		       "%s: cannot grant writing to '%s': chock's own '%s' in "
		       "it is not there to be covered; make it first",
		       item->by, item->target, buf_str(&spot->path));
}

/* @path is a name of @spot, which is where @own is. */
static int add_own(struct plan *plan, const struct own_dir *own,
		   struct spot *spot, const char *path, struct why *why)
{
	const struct plan_item *item;
	const char *path, *rest;
	size_t i;
	int r = hold_missing(plan, own, spot, why);

	if (r < 0)
		return r;
	path = buf_str(&spot->path);
	for (i = 0; i < plan->item_count; i++) {
		item = &plan->items[i];
		if (item->source.fd < 0)
			continue;
		rest = path_below(path, buf_str(&item->source.path));
		if (rest && *rest)
			add_cover(plan, item->target, rest,
				  item->kind == GRANT_WRITE);
		else if (!item->own &&
			 path_below(buf_str(&item->source.path), path))
			return why_set(why, EINVAL,
				       "%s: cannot grant '%s': it is in '%s', "
				       "which is chock's own",
				       item->by, buf_str(&item->source.path),
				       path);
	}
	return 0;
}

/* Under every name that it has. */
static int add_own_dir(struct plan *plan, const struct own_dir *own,
		       const struct mounts *mounts, struct why *why)
{
	autospot struct spot spot = SPOT_NOWHERE;
	char *alias;
	size_t i;
	int r = spot_find(&spot, own->path, NULL, why);

	if (r < 0 && r != -ENOENT)
		return r;
	r = add_own(plan, own, &spot, buf_str(&spot.path), why);
	for (i = 0;
	     !r && (alias = mounts_alias(mounts, buf_str(&spot.path), i));
	     i++) {
		r = add_own(plan, own, &spot, alias, why);
		free(alias);
	}
	return r;
}

int plan_make(struct plan *plan, const struct sandbox *sandbox, struct why *why)
{
	const struct grant *grant = sandbox->grants;
	const struct grant *end = grant + sandbox->grant_count;
	automounts struct mounts mounts = { 0 };
	size_t i;
	int r = mounts_read(&mounts, why);

	for (; grant < end && !r; grant++)
		if (grant->kind != GRANT_HIDE)
			r = add_item(plan, grant, why);
	if (r < 0)
		return r;
	if (plan->item_count)
		qsort(plan->items, plan->item_count, sizeof(*plan->items),
		      compare_items);
	r = add_kernel(plan, &mounts, why);
	for (i = 0; i < sandbox->own_dir_count && !r; i++)
		r = add_own_dir(plan, &sandbox->own_dirs[i], &mounts, why);
	for (grant = sandbox->grants; grant < end && !r; grant++)
		if (grant->kind == GRANT_HIDE)
			r = add_hidden(plan, grant, &mounts, why);
	return r;
}

void plan_drop(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->item_count; i++) {
		spot_close(&plan->items[i].source);
		free(plan->items[i].target);
	}
	for (i = 0; i < plan->cover_count; i++)
		free(plan->covers[i].path);
	free(plan->items);
	free(plan->covers);
	spot_links_drop(&plan->links);
	*plan = (struct plan){ 0 };
}
