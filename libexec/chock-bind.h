/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_BIND_H
#define CHOCK_BIND_H

/*
 * chock-bind - what its files share
 *
 * Each of these prints what it has to say, and leaves if it fails.
 */

#include <sys/types.h>

#include "chock-workspace.h"
#include "workspace/binds.h"
#include "workspace/reach.h"

#define BIND_LOOKED_MAX ((size_t)200000) /* names that a pattern looks at */
#define BIND_MATCHES_MAX ((size_t)256)   /* of a pattern */

/* What of the project goes where, opened. */
struct bind_place {
	struct space space;
	struct hides hides;
	int root_fd, copy_fd; /* owned */
	int below_fd; /* owned; what the copy is over; -1: it is whole */
};

/* bind_open - open the workspace @path of a git project */
void bind_open(struct bind_place *place, const char *path);

/* bind_is_hidden - whether the project's @path is hidden; a struct space */
bool bind_is_hidden(void *space, const char *path);

/* bind_in_copy - whether the copy has a @path of its own, from git or
 * --allow-dirty */
bool bind_in_copy(const struct bind_place *place, const char *path);

/* What runs later on the host, as far as anything was asked about it. */
struct bind_runs {
	const struct rules *rules; /* borrowed */
	struct reach reach;
	bool found; /* reach is */
};

/*
 * bind_runs_later - whether @path is one of workspace.protected, or a policy:
 * by its name, one that a link of the project gives it, or because the
 * project's git runs or reads it
 */
bool bind_runs_later(struct bind_runs *runs, const struct bind_place *place,
		     const char *path);

/* bind_close - let go of it */
void bind_close(struct bind_place *place);

/*
 * bind_written_end - end what could be written through, workspace/written.h,
 * and print what became of it; leaves where something is left
 */
void bind_written_end(const char *workspace);

/* bind_list - print what the policies have to be asked about */
void bind_list(const char *workspace, const struct applying *said);

/* bind_list_plain - refuse what cannot be held without git */
void bind_list_plain(const char *workspace, const struct applying *said);

#endif /* CHOCK_BIND_H */
