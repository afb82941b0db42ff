/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/why.h"
#include "spec/sandbox.h"
#include "tree/mounts.h"
#include "tree/plan.h"
#include "tree/spot.h"

/*
 * What is to be covered, under every name that it has inside: what is hidden,
 * chock's own directories, and views of the kernel.
 */

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
	cover->link = false;
	cover->by = NULL;
}

void plan_cover_path(struct plan *plan, const char *path)
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
				  plan_is_writable(item));
	}
}

/*
 * By a link on the way to it that were another one, what is hidden would be
 * looked for elsewhere the next time.
 */
static void hold_links(struct plan *plan, const struct spot_links *links)
{
	size_t first, i;

	for (i = 0; i < links->count; i++) {
		first = plan->cover_count;
		plan_cover_path(plan, links->links[i].path);
		for (; first < plan->cover_count; first++)
			plan->covers[first].link = true;
	}
}

/* Everything covered since there were @first of them must stay so. */
static void hold_from(struct plan *plan, size_t first, const char *by)
{
	for (; first < plan->cover_count; first++)
		plan->covers[first].by = by;
}

/*
 * A hidden path is hidden under the name that it has inside, and under every
 * other one that an item, or another mount of the same place, gives to it.
 */
static int add_hidden(struct plan *plan, const struct grant *grant,
		      const struct mounts *mounts, struct why *why)
{
	autospot struct spot spot = SPOT_NOWHERE;
	struct spot_links links = { 0 };
	struct why lost = { 0 };
	size_t first = plan->cover_count;
	char *alias;
	size_t i;
	int r;

	r = spot_find(&spot, grant->source, &links, &lost);
	if (!r || r == -ENOENT)
		hold_links(plan, &links);
	spot_links_drop(&links);
	if (r < 0 && r != -ENOENT) {
		*why = lost;
		return why_within(why, "%s", grant->by);
	}
	add_cover(plan, grant->source, "", false);
	plan_cover_path(plan, buf_str(&spot.path));
	for (i = 0; (alias = mounts_alias(mounts, buf_str(&spot.path), i));
	     i++) {
		plan_cover_path(plan, alias);
		free(alias);
	}
	hold_from(plan, first, grant->by);
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
			if (item->source.fd < 0 || item->kind == GRANT_DEVICE)
				continue;
			rest = path_below(row->point,
					  buf_str(&item->source.path));
			if (rest && *rest)
				add_cover(plan, item->target, rest,
					  plan_is_writable(item));
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
		rest = plan_is_writable(item)
			       ? path_below(path, buf_str(&item->source.path))
			       : NULL;
		if (rest && *rest)
			return item;
	}
	return NULL;
}

/*
 * A writable grant above a directory of chock's that is not there could make
 * it, and write what the next run would believe; @name is what it is called
 * there.  Another run may make it first; what is there then is looked at
 * again.
 */
static int hold_missing(const struct plan *plan, const struct own_dir *own,
			struct spot *spot, const char *name, struct why *why)
{
	const struct plan_item *item = writable_above(plan, name);

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

/* @path is a name of a directory of chock's. */
static int add_own(struct plan *plan, const char *path, struct why *why)
{
	const struct plan_item *item;
	const char *rest;
	size_t i;

	for (i = 0; i < plan->item_count; i++) {
		item = &plan->items[i];
		if (item->source.fd < 0)
			continue;
		rest = path_below(path, buf_str(&item->source.path));
		if (rest && *rest)
			add_cover(plan, item->target, rest,
				  plan_is_writable(item));
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
	struct why lost = { 0 };
	char *alias;
	size_t i;
	int r = spot_find(&spot, own->path, NULL, &lost);

	if (r < 0 && r != -ENOENT) {
		*why = lost;
		return r;
	}
	r = hold_missing(plan, own, &spot, buf_str(&spot.path), why);
	if (!r)
		r = add_own(plan, buf_str(&spot.path), why);
	for (i = 0;
	     !r && (alias = mounts_alias(mounts, buf_str(&spot.path), i));
	     i++) {
		r = hold_missing(plan, own, &spot, alias, why);
		if (!r)
			r = add_own(plan, alias, why);
		free(alias);
	}
	return r;
}

/* Whether a part of @path is @name. */
static bool has_part(const char *path, const char *name)
{
	size_t len = strlen(name);
	const char *at = path;

	while ((at = strstr(at, name))) {
		if (at > path && at[-1] == '/' && (at[len] == '/' || !at[len]))
			return true;
		at++;
	}
	return false;
}

/*
 * What waits in a directory to be put there: who is granted the directory
 * neither reads nor changes that.
 */
static int add_own_name(struct plan *plan, const char *name, struct why *why)
{
	const struct plan_item *item = plan->items;
	const struct plan_item *end = item + plan->item_count;
	struct stat st;

	for (; item < end; item++) {
		if (item->source.fd < 0)
			continue;
		if (has_part(buf_str(&item->source.path), name))
			return why_set(why, EINVAL,
				       "%s: cannot grant '%s': '%s' is "
				       "chock's own",
				       item->by, buf_str(&item->source.path),
				       name);
		if (!S_ISDIR(item->source.mode) ||
		    fstatat(item->source.fd, name, &st, AT_SYMLINK_NOFOLLOW) <
			    0 ||
		    !S_ISDIR(st.st_mode))
			continue;
		autofree char *path =
			alloc_text("%s/%s", buf_str(&item->source.path), name);

		plan_cover_path(plan, path);
	}
	return 0;
}

/* Where it waits in a directory below one that is granted. */
static void add_waiting(struct plan *plan, const char *path,
			const struct mounts *mounts)
{
	struct stat st;
	char *alias;
	size_t i;

	if (lstat(path, &st) < 0)
		return;
	plan_cover_path(plan, path);
	for (i = 0; (alias = mounts_alias(mounts, path, i)); i++) {
		plan_cover_path(plan, alias);
		free(alias);
	}
}

int plan_cover(struct plan *plan, const struct sandbox *sandbox,
	       struct why *why)
{
	const struct grant *grant = sandbox->grants;
	const struct grant *end = grant + sandbox->grant_count;
	automounts struct mounts mounts = { 0 };
	size_t first, i;
	int r = mounts_read(&mounts, why);

	if (!r)
		r = plan_check_links(plan, &mounts, why);
	if (!r)
		r = add_kernel(plan, &mounts, why);
	first = plan->cover_count;
	for (i = 0; i < sandbox->own_dir_count && !r; i++)
		r = add_own_dir(plan, &sandbox->own_dirs[i], &mounts, why);
	hold_from(plan, first, "chock's own");
	if (!r && sandbox->own_name)
		r = add_own_name(plan, sandbox->own_name, why);
	for (i = 0; i < sandbox->waiting_count && !r; i++)
		add_waiting(plan, sandbox->waiting[i], &mounts);
	for (; grant < end && !r; grant++)
		if (grant->kind == GRANT_HIDE)
			r = add_hidden(plan, grant, &mounts, why);
	if (!r)
		plan_sockets(plan, sandbox, &mounts);
	return r;
}
