/* SPDX-License-Identifier: ISC */
#include "workspace/reach.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/auto.h"

void reach_add(struct reach *reach, const char *path, struct span target)
{
	struct reach_link *link;

	if (reach->count == REACH_LINKS_MAX)
		reach->many = true;
	if (reach->many)
		return;
	reach->links =
		alloc_array(reach->links, reach->count, sizeof(*reach->links));
	link = &reach->links[reach->count++];
	*link = (struct reach_link){
		.path = alloc_copy(path, strlen(path)),
		.target = alloc_copy(target.data, target.len),
	};
}

/* ---- where they lead ----------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct reach_link *const links[] = { a, b };

	return strcmp(links[0]->path, links[1]->path);
}

static const struct reach_link *find(const struct reach *reach,
				     const char *path)
{
	char *copy = alloc_copy(path, strlen(path));
	const struct reach_link key = { .path = copy };
	const struct reach_link *link =
		reach->count ? bsearch(&key, reach->links, reach->count,
				       sizeof(*reach->links), compare)
			     : NULL;

	free(copy);
	return link;
}

/* Takes off @dir its last part; false where it has none. */
static bool go_up(struct buf *dir)
{
	const char *slash = strrchr(buf_str(dir), '/');

	if (!dir->len)
		return false;
	dir->len = slash ? (size_t)(slash - dir->data) : 0;
	dir->data[dir->len] = '\0';
	return true;
}

/* What is behind @root in an absolute path; NULL if it is elsewhere. */
static const char *below(const char *path, const char *root)
{
	const size_t len = strlen(root);

	if (strncmp(path, root, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}

/* What is left to follow, from @at on, starting with the text of a link. */
struct trail {
	const struct reach *reach;
	const char *root;
	struct buf at;
	struct buf rest;
	int followed;
};

/* Follows @target, whose link is at @trail's at; what was left comes after. */
static bool enter(struct trail *trail, const char *target)
{
	autofree char *left =
		alloc_copy(buf_str(&trail->rest), trail->rest.len);

	if (++trail->followed > REACH_FOLLOWED_MAX)
		return false;
	if (*target == '/') {
		target = below(target, trail->root);
		buf_reset(&trail->at);
	} else {
		(void)go_up(&trail->at);
	}
	if (!target)
		return false;
	buf_reset(&trail->rest);
	buf_addf(&trail->rest, "%s/%s", target, left);
	return !trail->rest.full;
}

/* Goes on by the next part of rest. */
static bool step(struct trail *trail)
{
	struct span rest = buf_span(&trail->rest);
	const struct span part = span_cut(&rest, '/');
	autofree char *name = alloc_copy(part.data, part.len);
	autofree char *left = alloc_copy(rest.len ? rest.data : "", rest.len);
	const struct reach_link *link;

	buf_reset(&trail->rest);
	buf_adds(&trail->rest, left);
	if (!*name || !strcmp(name, "."))
		return true;
	if (!strcmp(name, ".."))
		return go_up(&trail->at);
	buf_addf(&trail->at, "%s%s", trail->at.len ? "/" : "", name);
	link = find(trail->reach, buf_str(&trail->at));
	return !link || enter(trail, link->target);
}

static char *resolve(const struct reach *reach, const char *root,
		     const struct reach_link *link)
{
	struct trail trail = { .reach = reach, .root = root };
	char *leads = NULL;
	bool goes_on;

	buf_adds(&trail.at, link->path);
	goes_on = enter(&trail, link->target);
	while (goes_on && trail.rest.len)
		goes_on = step(&trail);
	if (goes_on)
		leads = alloc_copy(buf_str(&trail.at), trail.at.len);
	buf_drop(&trail.at);
	buf_drop(&trail.rest);
	return leads;
}

void reach_settle(struct reach *reach, const char *root)
{
	size_t i;

	if (reach->count)
		qsort(reach->links, reach->count, sizeof(*reach->links),
		      compare);
	for (i = 0; !reach->many && i < reach->count; i++) {
		free(reach->links[i].leads);
		reach->links[i].leads = resolve(reach, root, &reach->links[i]);
	}
}

/* ---- what leads to a path ------------------------------------------------ */

struct trying {
	const struct reach *reach;
	bool (*is)(void *context, const char *name);
	void *context;
	size_t tried;
};

/* What of @path is behind @dir, with its slash; NULL if it is elsewhere. */
static const char *behind(const char *path, const char *dir)
{
	const size_t len = strlen(dir);

	if (!len)
		return path;
	if (strncmp(path, dir, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}

static bool try_names(struct trying *trying, const char *path, int hops)
{
	const struct reach *reach = trying->reach;
	size_t i;

	for (i = 0; i < reach->count; i++) {
		const struct reach_link *link = &reach->links[i];
		const char *rest = link->leads ? behind(path, link->leads)
					       : NULL;

		/* Through a link that leads above itself, without an end. */
		if (!rest || behind(path, link->path))
			continue;
		if (++trying->tried > REACH_NAMES_MAX)
			return true;
		autofree char *name = alloc_text("%s%s%s", link->path,
						 *link->leads ? "" : "/", rest);

		if (trying->is(trying->context, name) ||
		    (hops > 1 && try_names(trying, name, hops - 1)))
			return true;
	}
	return false;
}

bool reach_any(const struct reach *reach, const char *path,
	       bool (*is)(void *context, const char *name), void *context)
{
	struct trying trying = { .reach = reach, .is = is, .context = context };

	if (!reach)
		return false;
	return reach->many || try_names(&trying, path, REACH_HOPS_MAX);
}

void reach_drop(struct reach *reach)
{
	size_t i;

	for (i = 0; i < reach->count; i++) {
		free(reach->links[i].path);
		free(reach->links[i].target);
		free(reach->links[i].leads);
	}
	free(reach->links);
	*reach = (struct reach){ 0 };
}
