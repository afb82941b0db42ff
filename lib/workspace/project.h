/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_PROJECT_H
#define CHOCK_WORKSPACE_PROJECT_H

/*
 * project - the git project that a workspace is made from
 *
 * What is found out here is found out by commands that only read, and none
 * of them looks at a file of the working tree.
 *
 * Invariants
 *   - All paths are absolute and without a symbolic link.
 *   - stores.items[0] is the project's own object store; the others are those
 *     that it borrows from, and those that these borrow from.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "workspace/git.h"
#include "workspace/names.h"
#include "workspace/settings.h"

struct why;

#define autoproject __attribute__((cleanup(project_drop)))

struct project {
	struct buf root;       /* top of the working tree */
	struct buf git_dir;    /* of this working tree */
	struct buf common_dir; /* the same, but for a linked working tree */
	struct buf branch;     /* "refs/heads/..."; empty: HEAD is detached */
	struct buf head;       /* the commit's id; empty: no commit yet */
	struct buf tree;       /* of head; empty: nobody asked for it */
	const int *keep_fd;    /* borrowed, or NULL; see struct git */
	bool sha256;
	struct settings settings;
	struct names stores;
	struct names outside;  /* stores that are neither in the project nor in
				  a repository that names it as its own */
	struct buf excludes;   /* contents: what is ignored */
	struct buf attributes; /* contents: attributes of no file in the tree */
	struct buf shallow;    /* contents: where the history was cut */
	struct buf sparse;     /* contents: patterns; empty: all files */
	struct names reflog;   /* environment: who a ref's log names */
	struct names links; /* what of these was not read, for it is a link */
};

/*
 * project_root - only the top of the working tree that @dir is in, or what
 * project_plain_root() says where it is in no git repository
 *
 * Returns as project_open().
 */
int project_root(struct buf *root, const char *dir, struct why *why);

/*
 * project_plain_root - the physical path of @dir, which is in no repository
 *
 * Returns 0, -EINVAL for what has a .git that git cannot use, or another
 * -errno.
 */
int project_plain_root(struct buf *root, const char *dir, struct why *why);

/*
 * project_open - look at the project that @dir is in
 *
 * Returns 0, -ENOTDIR if @dir is in no git repository, -EINVAL for what is no
 * project of the kind that a workspace can be made from, with the kind in
 * @why, or another -errno.
 */
int project_open(struct project *project, const char *dir, struct why *why);

/* project_git - a call of git on the project's own references */
struct git project_git(const struct project *project);

/* project_refs - branches and tags as lines of a packed-refs file */
int project_refs(const struct project *project, struct buf *refs,
		 struct why *why);

/* project_borrowed - its stores as a list that git takes by environment */
void project_borrowed(const struct project *project, struct buf *list);

/* project_drop - release all of it; good as new afterwards */
void project_drop(struct project *project);

#endif /* CHOCK_WORKSPACE_PROJECT_H */
