/* SPDX-License-Identifier: ISC */
#ifndef CHOCK_WORKSPACE_REPO_H
#define CHOCK_WORKSPACE_REPO_H

/*
 * repo - repositories of our own, written file by file
 *
 * `git init` copies templates and reads configuration; a repository is few
 * files, so we write them.  One kind is the session's, which goes to the
 * sandbox; the other is the quarantine, through which host git looks at the
 * project's files without reading the project's configuration, and which
 * holds what came out of a sandbox until it is taken.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "workspace/names.h"

struct why;

struct repo {
	bool sha256;
	const char *partial;    /* the remote of a partial clone, or NULL */
	struct span head;       /* what HEAD says: an id, or "ref: ..." */
	struct span refs;       /* lines of a packed-refs file */
	struct span config;     /* sections, written as repo_setting() does */
	struct span excludes;   /* info/exclude */
	struct span attributes; /* info/attributes */
	struct span shallow;    /* the file "shallow"; empty: there is none */
	struct span sparse;     /* info/sparse-checkout; empty: all files */
};

/* repo_setting - put the setting @name, of the form "core.eol", into @config */
void repo_setting(struct buf *config, const char *name, struct span value);

/*
 * repo_make - write @repo as @git_dir
 *
 * What is there already is replaced file by file, and its objects stay.
 *
 * Returns 0 or -errno.
 */
int repo_make(const char *git_dir, const struct repo *repo, struct why *why);

/* repo_borrow - let the repository @git_dir find objects in @stores as well */
int repo_borrow(const char *git_dir, const struct names *stores,
		struct why *why);

/*
 * repo_write - @bytes as the file @dir/@name; returns 0 or -errno
 *
 * For what is made anew if it is lost with the power; else there is file_put().
 */
int repo_write(const char *dir, const char *name, struct span bytes,
	       struct why *why);

#endif /* CHOCK_WORKSPACE_REPO_H */
