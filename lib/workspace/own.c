/* SPDX-License-Identifier: ISC */
#include "workspace/own.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/place.h"
#include "base/why.h"

/* The physical path that @path has, or will have once it is made. */
static char *physical(const char *path)
{
	autofree char *above = alloc_copy(path, strlen(path));
	char *slash = above + strlen(above);

	do {
		autofree char *real = NULL;

		*slash = '\0';
		real = realpath(slash == above ? "/" : above, NULL);
		if (real)
			return alloc_text("%s%s", strcmp(real, "/") ? real : "",
					  path + (slash - above));
		slash = strrchr(above, '/');
	} while (slash);
	return alloc_copy(path, strlen(path));
}

static void add(struct names *own, const char *path, const char *root)
{
	const size_t len = strcmp(root, "/") ? strlen(root) : 0;

	if (!strncmp(path, root, len) && path[len] == '/')
		names_add(own, span_of(path + len + 1));
}

void own_find(struct names *own, const char *root)
{
	static int (*const places[])(struct buf * path, struct why * why) = {
		place_config, place_state, place_data, place_runtime
	};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		autobuf struct buf path = { 0 };
		autofree char *real = NULL;
		struct why lost = { 0 };

		if (places[i](&path, &lost) < 0)
			continue;
		real = physical(buf_str(&path));
		add(own, buf_str(&path), root);
		add(own, real, root);
	}
	names_tidy(own);
}

/* Whether @path is @dir or below it. */
static bool is_in(const char *path, const char *dir)
{
	const size_t len = strlen(dir);

	return !strncasecmp(path, dir, len) && (!path[len] || path[len] == '/');
}

bool own_is(const struct names *own, const char *path)
{
	size_t i;

	for (i = 0; i < own->count; i++)
		if (is_in(path, own->items[i]))
			return true;
	return false;
}

bool own_touches(const struct names *own, const char *path)
{
	size_t i;

	for (i = 0; i < own->count; i++)
		if (is_in(path, own->items[i]) || is_in(own->items[i], path))
			return true;
	return false;
}

void own_leave(const struct names *own, struct names *paths)
{
	struct names kept = { 0 };
	size_t i;

	if (!own->count)
		return;
	for (i = 0; i < paths->count; i++)
		if (!own_is(own, paths->items[i]))
			names_add(&kept, span_of(paths->items[i]));
	names_drop(paths);
	*paths = kept;
}
