/* SPDX-License-Identifier: ISC */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/why.h"
#include "spec/sandbox.h"
#include "tree/mounts.h"
#include "tree/plan.h"
#include "tree/sockets.h"
#include "tree/spot.h"

/*
 * As Landlock has it from its ABI 9 on: a directory opens no socket in it, and
 * one is opened by a grant of its own path, for writing.
 */

static bool is_granted(const struct plan *plan, const char *path)
{
	size_t i;

	for (i = 0; i < plan->item_count; i++)
		if (plan->items[i].kind == GRANT_WRITE &&
		    !strcmp(buf_str(&plan->items[i].source.path), path))
			return true;
	return false;
}

/* A directory that is moved takes along what is mounted in it. */
static void cover(struct plan *plan, const char *path)
{
	size_t first = plan->cover_count;

	plan_cover_path(plan, path);
	for (; first < plan->cover_count; first++)
		plan->covers[first].pin = false;
}

static void cover_all(struct plan *plan, const char *path,
		      const struct mounts *mounts)
{
	char *alias;
	size_t i;

	cover(plan, path);
	for (i = 0; (alias = mounts_alias(mounts, path, i)); i++) {
		cover(plan, alias);
		free(alias);
	}
}

/* Most of them are not there; to find that out must cost little. */
static bool is_socket(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISSOCK(st.st_mode);
}

/* What cannot be looked at from here can be connected to by nobody inside. */
void plan_sockets(struct plan *plan, const struct sandbox *sandbox,
		  const struct mounts *mounts)
{
	const struct sockets *sockets = sandbox->sockets;
	struct why why = { 0 };
	size_t i;

	for (i = 0; sockets && i < sockets->count; i++) {
		autospot struct spot spot = SPOT_NOWHERE;

		if (is_socket(sockets->paths[i]) &&
		    !spot_find(&spot, sockets->paths[i], NULL, &why) &&
		    S_ISSOCK(spot.mode) &&
		    !is_granted(plan, buf_str(&spot.path)))
			cover_all(plan, buf_str(&spot.path), mounts);
	}
}
